import {
  acknowledge,
  beginStep,
  call,
  elsewhere,
  hidden,
  keyed,
  meanwhile,
  pack,
  result,
  type Scenario,
  settle,
  state,
  tool,
} from "../scenario.js";
import { PHASES, unsent } from "./parts.js";

const undone = settle({ kind: "did_not_happen" });

/** The sentences about results that come late, each as a scenario. */
export const LATE_RESULTS: readonly Scenario[] = [
  {
    sentence: "blocks every call after a late result until somebody acknowledges it, through any guard",
    pack: pack([tool("a")]),
    steps: [
      [call("a"), "allow"],
      [undone, "accepted"],
      [acknowledge(true), "no_late_result"],
      [result(), "already_settled"],
      [call("a"), "late_result_unacknowledged"],
      [elsewhere(call("a")), "late_result_unacknowledged"],
      [hidden("a"), "late_result_unacknowledged"],
      [beginStep, "late_result_unacknowledged"],
      [elsewhere(acknowledge(false)), "accepted"],
      [acknowledge(false), "no_late_result"],
      [state(({ toolCalls }) => toolCalls), "0"],
      [call("a"), "allow"],
    ],
  },
  {
    sentence: "counts a call that is acknowledged as happened, and lets it satisfy, bind and advance nothing",
    pack: pack(
      [
        tool("a", {
          transitions: { valid_in_phases: ["one"], advances_to: "two" },
          binds: [{ name: "x", path: "$.n" }],
          forbids_after: ["c"],
        }),
        tool("b", { preconditions: [{ requires_prior_tool: "a" }] }),
        tool("c"),
      ],
      { ...PHASES, aggregates: [{ name: "n", metric: "sum", tool: "a", path: "$.n", lte: 1, reason: "enough" }] },
    ),
    steps: [
      [call("a", { n: 1 }), "allow"],
      [undone, "accepted"],
      [result(), "already_settled"],
      [acknowledge(true), "accepted"],
      [
        state(({ phase, steps, toolCalls, bindings, aggregates }) => [
          phase,
          steps,
          toolCalls,
          bindings.size,
          ...aggregates.values(),
        ]),
        '["one",1,1,0,1]',
      ],
      [call("b"), "prior_tool_missing"],
      [call("c"), "forbidden_after"],
      [call("a", { n: 1 }), "aggregate_exceeded"],
    ],
  },
  {
    sentence: "waits for each late result, and a repeated one changes nothing",
    pack: pack([tool("a")]),
    steps: [
      [call("a"), "allow"],
      [undone, "accepted"],
      [call("a"), "allow"],
      [undone, "accepted"],
      [result({}, 0), "already_settled"],
      [result({}, 1), "already_settled"],
      [result({}, 1), "already_settled"],
      [acknowledge(true, 1), "accepted"],
      [call("a"), "late_result_unacknowledged"],
      [acknowledge(true, 0), "accepted"],
      [state(({ toolCalls }) => toolCalls), "2"],
      [call("a"), "allow"],
    ],
  },
  {
    sentence: "knows about late results only where somebody's word was all there was, and only of results",
    pack: pack([tool("a")]),
    steps: [
      [call("a"), "allow"],
      [unsent, "accepted"],
      [result(), "already_settled"],
      [call("a"), "allow"],
      [undone, "accepted"],
      [settle({ kind: "happened" }), "already_settled"],
      [settle({ kind: "timeout" }), "already_settled"],
      [call("a"), "allow"],
    ],
  },
  {
    sentence: "comes after a kill and before call keys, and feeds the circuit breaker",
    pack: pack([tool("a")], { session_limits: { circuit_breaker: { consecutive_blocks: 2 } } }),
    steps: [
      [keyed("k", "a"), "allow"],
      [undone, "accepted"],
      [result(), "already_settled"],
      [keyed("k", "a"), "late_result_unacknowledged"],
      [call("a"), "late_result_unacknowledged"],
      [call("a"), "session_killed"],
      [acknowledge(true), "accepted"],
      [state(({ toolCalls }) => toolCalls), "1"],
    ],
  },
  {
    sentence: "is only reported in shadow mode",
    pack: pack([tool("a")]),
    options: { mode: "shadow" },
    steps: [
      [call("a"), "allow"],
      [undone, "accepted"],
      [result(), "already_settled"],
      [call("a"), "allow, would late_result_unacknowledged"],
      [meanwhile(({ guard }) => guard.kill("stop")), ""],
      [call("a"), "session_killed"],
    ],
  },
];
