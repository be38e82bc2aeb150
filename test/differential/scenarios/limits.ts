import { beginStep, call, hidden, meanwhile, pack, type Scenario, settle, state, tool } from "../scenario.js";
import { lost, unsent } from "./parts.js";

/** The sentences about this, each as a scenario. */
export const LIMITS: readonly Scenario[] = [
  {
    sentence: "counts pending calls in the limits and gives their place back when they are released",
    pack: pack([tool("a")], { session_limits: { max_calls_per_tool: { a: 1 } } }),
    steps: [
      [call("a"), "allow"],
      [call("a"), "session_limit_exceeded"],
      [unsent, "accepted"],
      [call("a"), "allow"],
    ],
  },
  {
    sentence: "limits steps where calls are steps, and beginStep itself where steps are opened",
    pack: pack([tool("a")], { session_limits: { max_steps: 1 } }),
    steps: [
      [beginStep, "allow"],
      [call("a"), "allow"],
      [call("a"), "allow"],
      [beginStep, "session_limit_exceeded"],
    ],
  },
  {
    sentence: "makes no step of a blocked proposal",
    pack: pack([tool("a"), tool("b", { gate: "block" })], { session_limits: { max_steps: 1 } }),
    steps: [
      [call("b"), "gate_blocked"],
      [call("a"), "allow"],
      [call("a"), "session_limit_exceeded"],
      [state(({ steps }) => steps), "1"],
    ],
  },
  {
    sentence: "blocks when the cost has reached the cap, exactly",
    pack: pack([tool("a")], { session_limits: { max_cost_per_session: 0.3 } }),
    steps: [
      [meanwhile(({ guard }) => guard.recordCost(0.1)), ""],
      [call("a"), "allow"],
      [meanwhile(({ guard }) => guard.recordCost(0.2)), ""],
      [call("a"), "session_limit_exceeded"],
      [state(({ cost }) => cost), "0.3"],
    ],
  },
  {
    sentence: "hides all tools at the cap in mode narrow",
    pack: pack([tool("a")], { session_limits: { max_tool_calls: 1, max_tool_calls_mode: "narrow" } }),
    steps: [
      [hidden("a"), "visible"],
      [call("a"), "allow"],
      [hidden("a"), "session_limit_exceeded"],
    ],
  },
  {
    sentence: "does not hide tools at the cap in mode block",
    pack: pack([tool("a")], { session_limits: { max_tool_calls: 0 } }),
    steps: [
      [hidden("a"), "visible"],
      [call("a"), "session_limit_exceeded"],
    ],
  },
  {
    sentence: "finds a loop among the last allowed proposals, released ones included, whatever the order of keys",
    pack: pack([tool("a")], { session_limits: { loop_detection: { window: 2, threshold: 2 } } }),
    steps: [
      [call("a", { x: 1, y: 2 }), "allow"],
      [unsent, "accepted"],
      [call("a", { y: 2, x: 1 }), "loop_detected"],
      [call("a", {}), "allow"],
      [call("a", { x: 1, y: 2 }), "allow"],
    ],
  },
  {
    sentence: "kills the session after so many blocks in a row",
    pack: pack([tool("a"), tool("b", { gate: "block" })], {
      session_limits: { circuit_breaker: { consecutive_blocks: 2 } },
    }),
    steps: [
      [call("b"), "gate_blocked"],
      [call("a"), "allow"],
      [call("b"), "gate_blocked"],
      [call("b"), "gate_blocked"],
      [call("a"), "session_killed"],
    ],
  },
  {
    sentence: "undoes the reset of an allowed call that is released",
    pack: pack([tool("a"), tool("b", { gate: "block" })], {
      session_limits: { circuit_breaker: { consecutive_blocks: 2 } },
    }),
    steps: [
      [call("b"), "gate_blocked"],
      [call("a"), "allow"],
      [unsent, "accepted"],
      [call("b"), "gate_blocked"],
      [call("a"), "session_killed"],
    ],
  },
  {
    sentence: "kills after so many unexpected errors in a row; an allowed error neither counts nor resets",
    pack: pack([tool("a", { allowed_errors: ["404"] })], {
      session_limits: { circuit_breaker: { consecutive_errors: 2 } },
    }),
    steps: [
      [call("a"), "allow"],
      [lost, "accepted"],
      [call("a"), "allow"],
      [settle({ kind: "error", sent: true, status: 404 }), "accepted"],
      [call("a"), "allow"],
      [settle({ kind: "error", sent: true, status: 400 }), "accepted"],
      [call("a"), "session_killed"],
    ],
  },
];
