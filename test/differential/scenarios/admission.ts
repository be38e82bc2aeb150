import {
  addLabel,
  approve,
  beginStep,
  call,
  hidden,
  meanwhile,
  pack,
  result,
  type Scenario,
  state,
  tool,
} from "../scenario.js";
import { ALWAYS } from "./parts.js";

function* endless(): Generator<number> {
  for (;;) yield 1;
}

/** What a careless comparison takes for the name of a tool. */
const NO_NAMES: readonly unknown[] = [["a"], Object("a"), Symbol("a"), null, undefined, 1, { toString: () => "a" }];

/** The sentences about this, each as a scenario. */
export const ADMISSION: readonly Scenario[] = [
  {
    sentence: "blocks a tool without a contract, unless unmatched tools are allowed",
    pack: pack([tool("a")]),
    steps: [[call("ghost"), "unmatched_tool"]],
  },
  {
    sentence: "puts the session-wide rules on an unmatched tool that is let through",
    pack: pack([tool("a")], { session_limits: { max_tool_calls: 1 }, risk_defaults: { write: "block" } }),
    options: { unmatched: "allow" },
    steps: [
      [call("ghost"), "allow"],
      [call("ghost"), "session_limit_exceeded"],
    ],
  },
  {
    sentence: "lets the gate outrank the risk default",
    pack: pack([tool("a"), tool("b", { gate: "allow" }), tool("c", { gate: "block", side_effect: "read" })], {
      risk_defaults: { write: "block" },
    }),
    steps: [
      [call("a"), "risk_blocked"],
      [call("b"), "allow"],
      [call("c"), "gate_blocked"],
    ],
  },
  {
    sentence: "lets any matching deny win, and lets a deny that cannot be judged block",
    pack: pack([tool("a"), tool("b")], {
      policy: {
        rules: [
          { deny: { principal: { path: "$.type", equals: "bot" }, tools: ["a"] } },
          { deny: { principal: { path: "$.absent", equals: "x" }, tools: ["b"] } },
        ],
      },
    }),
    options: { principal: { type: "bot" } },
    steps: [
      [call("a"), "policy_denied"],
      [call("b"), "policy_denied"],
    ],
  },
  {
    sentence: "wants one of the allow entries that cover the tool, else default_deny decides",
    pack: pack([tool("a", { policy: { allow: [{ principal: { path: "$.tier", gte: 2 } }] } }), tool("b")], {
      policy: { default_deny: true },
    }),
    options: { principal: { tier: 2 } },
    steps: [
      [call("a"), "allow"],
      [call("b"), "policy_denied"],
    ],
  },
  {
    sentence: "gates by label from the moment it is added, also a call that waits for approval",
    pack: pack([tool("a", { checkpoint: ALWAYS })], {
      policy: { label_gates: [{ when_label: "secret", deny_tools: ["a"], reason: "No" }] },
    }),
    steps: [
      [call("a"), "approval_required"],
      [meanwhile(({ guard }) => guard.addLabel("secret")), ""],
      [approve, "label_gated"],
    ],
  },
  {
    sentence: "refuses arguments that are no JSON object before anything else",
    pack: pack([tool("a", { gate: "block" })]),
    steps: [
      [call("a", { at: new Date(0) }), "arguments_not_json"],
      [call("a", { n: undefined }), "arguments_not_json"],
      [call("a", [1]), "arguments_not_json"],
      [call("a", { n: 1, [Symbol("n")]: 1 }), "arguments_not_json"],
      [call("a", { list: Object.assign([1], { [Symbol.iterator]: endless }) }), "arguments_not_json"],
    ],
  },
  {
    sentence: "denies as soon as one value of a path meets a deny, and allows only where every value meets an allow",
    pack: pack([tool("a"), tool("b")], {
      policy: {
        rules: [
          { deny: { principal: { path: "$.roles[*]", equals: "guest" }, tools: ["a"] } },
          { allow: { principal: { path: "$.roles[*]", equals: "guest" }, tools: ["b"] } },
        ],
      },
    }),
    options: { principal: { roles: ["guest", "owner"] } },
    steps: [
      [call("a"), "policy_denied"],
      [call("b"), "policy_denied"],
    ],
  },
  {
    sentence: "denies where one of several values cannot be judged, and where there is none",
    pack: pack([tool("a"), tool("b"), tool("c")], {
      policy: {
        rules: [
          { deny: { principal: { path: "$.levels[*]", gte: 5 }, tools: ["a"] } },
          { deny: { principal: { path: "$.none[*]", gte: 5 }, tools: ["b"] } },
          { deny: { principal: { path: "$.plain[*]", gte: 5 }, tools: ["c"] } },
        ],
      },
    }),
    options: { principal: { levels: [1, "2"], none: [], plain: [1, 2] } },
    steps: [
      [call("a"), "policy_denied"],
      [call("b"), "policy_denied"],
      [call("c"), "allow"],
    ],
  },
  {
    sentence: "refuses a name that is no text in every mode, and counts it as nothing",
    pack: pack([tool("a")], { session_limits: { circuit_breaker: { consecutive_blocks: 1 } } }),
    options: { unmatched: "allow" },
    steps: [
      ...NO_NAMES.map((name) => [call(name), "unmatched_tool"] as const),
      [state(({ toolCalls, killed }) => [toolCalls, killed]), "[0,false]"],
      [call("a"), "allow"],
    ],
  },
  ...(["shadow", "log-only"] as const).map((mode) => ({
    sentence: `refuses a name that is no text, and arguments that are no JSON, in mode ${mode} too`,
    pack: pack([tool("a")], { session_limits: { circuit_breaker: { consecutive_blocks: 1 } } }),
    options: { mode },
    steps: [
      ...NO_NAMES.map((name) => [call(name), "unmatched_tool"] as const),
      [call("a", { n: Number.NaN }), "arguments_not_json"] as const,
      [call("a"), "allow"] as const,
    ],
  })),
  {
    sentence: "is killed by whatever it is given",
    pack: pack([tool("a")]),
    steps: [
      [meanwhile(({ guard }) => guard.kill(null)), ""],
      [call("a"), "session_killed"],
      [state(({ killed }) => killed), "true"],
    ],
  },
  {
    sentence: "refuses a label that is no text or an empty one",
    pack: pack([tool("a")], {
      policy: { label_gates: [{ when_label: "secret", deny_tools: ["a"], reason: "No" }] },
    }),
    steps: [
      [addLabel(["secret"]), "TypeError"],
      [addLabel(""), "TypeError"],
      [addLabel(null), "TypeError"],
      [state(({ labels }) => labels), "[]"],
      [call("a"), "allow"],
    ],
  },
  {
    sentence: "keeps a kill for ever and still records settlements",
    pack: pack([tool("a")]),
    steps: [
      [call("a"), "allow"],
      [meanwhile(({ guard }) => guard.kill("stop")), ""],
      [call("a"), "session_killed"],
      [beginStep, "session_killed"],
      [result(), "accepted"],
      [state(({ unsettled }) => unsettled.length), "0"],
      [hidden("a"), "session_killed"],
    ],
  },
];
