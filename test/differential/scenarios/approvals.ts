import {
  approve,
  call,
  deny,
  hidden,
  meanwhile,
  pack,
  result,
  resume,
  type Scenario,
  state,
  tool,
  withdraw,
} from "../scenario.js";
import { ALWAYS, OK } from "./parts.js";

const asking = (fields: object = {}) => tool("a", { checkpoint: { ...ALWAYS, ...fields } });

/** The sentences about this, each as a scenario. */
export const APPROVALS: readonly Scenario[] = [
  {
    sentence: "pauses the session while a request is pending, for a repeated call too",
    pack: pack([asking(), tool("b")]),
    steps: [
      [call("a"), "approval_required"],
      [call("a"), "session_paused"],
      [call("b"), "session_paused"],
      [hidden("b"), "session_paused"],
      [approve, "allow"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "uses an approval once",
    pack: pack([asking()]),
    steps: [
      [call("a"), "approval_required"],
      [approve, "allow"],
      [approve, "approval_used"],
      [deny, "approval_used"],
      [resume, "allow, repeated"],
      [state(({ toolCalls }) => toolCalls), "1"],
      [result(), "accepted"],
      [resume, "approval_used"],
    ],
  },
  {
    sentence: "blocks after a denial, which counts for the circuit breaker",
    pack: pack([asking()], { session_limits: { circuit_breaker: { consecutive_blocks: 1 } } }),
    steps: [
      [call("a"), "approval_required"],
      [deny, "approval_denied"],
      [resume, "approval_denied"],
      [call("a"), "session_killed"],
    ],
  },
  {
    sentence: "has expired at the deadline, and then denies",
    pack: pack([asking()]),
    steps: [
      [call("a"), "approval_required"],
      [meanwhile((play) => play.wait(30)), ""],
      [approve, "approval_expired"],
      [resume, "approval_expired"],
      [call("a"), "approval_required"],
    ],
  },
  {
    sentence: "resumes a call that silence allows, decided anew and once",
    pack: pack([asking({ on_timeout: "allow" })]),
    steps: [
      [call("a"), "approval_required"],
      [resume, "approval_required"],
      [meanwhile((play) => play.wait(31)), ""],
      [resume, "allow"],
      [resume, "allow, repeated"],
      [state(({ toolCalls }) => toolCalls), "1"],
    ],
  },
  {
    sentence: "makes one request of several checkpoints: the shorter deadline, deny winning",
    pack: pack([asking({ on_timeout: "allow", timeout_seconds: 90 })], {
      checkpoints: [{ name: "all", tool: "*", when: "always", timeout_seconds: 30, on_timeout: "deny" }],
    }),
    steps: [
      [call("a"), "approval_required"],
      [meanwhile((play) => play.wait(30)), ""],
      [resume, "approval_expired"],
    ],
  },
  {
    sentence: "asks where a condition cannot be judged, and only for the side effect it names",
    pack: pack([
      tool("a", { checkpoint: { ...ALWAYS, when: [{ path: "$.n", gte: 5 }] } }),
      tool("b", { checkpoint: { ...ALWAYS, when_side_effect: "admin" } }),
    ]),
    steps: [
      [call("a", { n: 4 }), "allow"],
      [call("b"), "allow"],
      [call("a", { n: "4" }), "approval_required"],
    ],
  },
  {
    sentence: "asks as soon as one value of a path meets the condition, cannot be judged, or is missing",
    pack: pack([tool("a", { checkpoint: { ...ALWAYS, when: [{ path: "$.items[*]", gte: 500 }] } })]),
    steps: [
      [call("a", { items: [1, 2] }), "allow"],
      [call("a", { items: [900, 1] }), "approval_required"],
      [deny, "approval_denied"],
      [call("a", { items: [1, "900"] }), "approval_required"],
      [deny, "approval_denied"],
      [call("a", { items: [] }), "approval_required"],
    ],
  },
  {
    sentence: "wants one value that meets all operators of a condition",
    pack: pack([tool("a", { checkpoint: { ...ALWAYS, when: [{ path: "$..n", gte: 5, lte: 7 }] } })]),
    steps: [
      [call("a", { n: 4, deep: { n: 8 } }), "allow"],
      [call("a", { n: 4, deep: { n: 6 } }), "approval_required"],
    ],
  },
  {
    sentence: "ends the pause when the waiting caller gives up, and says so afterwards",
    pack: pack([asking()], { session_limits: { circuit_breaker: { consecutive_blocks: 1 } } }),
    steps: [
      [call("a"), "approval_required"],
      [withdraw, ""],
      [hidden("a"), "visible"],
      [approve, "approval_withdrawn"],
      [deny, "approval_withdrawn"],
      [resume, "approval_withdrawn"],
      [state(({ toolCalls, killed }) => [toolCalls, killed]), "[0,false]"],
      [call("a"), "approval_required"],
    ],
  },
  {
    sentence: "denies without any approver",
    pack: pack([asking()]),
    options: { approver: null },
    steps: [[call("a"), "approval_denied"]],
  },
  {
    sentence: "asks nobody about a call that would be refused anyway",
    pack: pack([asking()], { session_limits: { max_tool_calls: 0 } }),
    steps: [[call("a"), "session_limit_exceeded"]],
  },
];

/** The sentences about this, each as a scenario. */
export const MODES: readonly Scenario[] = [
  {
    sentence: "lets everything through in shadow mode, says what would have been, and goes on as if allowed",
    pack: pack([tool("a", { gate: "block" }), tool("b", { checkpoint: ALWAYS })], {
      session_limits: { circuit_breaker: { consecutive_blocks: 1 } },
    }),
    options: { mode: "shadow" },
    steps: [
      [call("a"), "allow, would gate_blocked"],
      [call("b"), "allow, would approval_required"],
      [state(({ toolCalls }) => toolCalls), "2"],
      [meanwhile(({ guard }) => guard.kill("stop")), ""],
      [call("a"), "session_killed"],
    ],
  },
  {
    sentence: "judges nothing in log-only mode",
    pack: pack([tool("a", { gate: "block", ...OK })]),
    options: { mode: "log-only" },
    steps: [
      [call("a"), "allow"],
      [result({ ok: false }), "accepted"],
    ],
  },
];
