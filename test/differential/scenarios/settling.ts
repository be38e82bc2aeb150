import { call, done, pack, result, type Scenario, settle, state, tool } from "../scenario.js";
import { lost, OK, PHASES, REPLIER, USER } from "./parts.js";

/** The sentences about this, each as a scenario. */
export const SETTLING: readonly Scenario[] = [
  {
    sentence: "counts a call whose output is refused, and lets it satisfy, bind and advance nothing",
    pack: pack(
      [
        tool("a", {
          ...OK,
          transitions: { valid_in_phases: ["one"], advances_to: "two" },
          binds: [{ name: "x", path: "$.n" }],
          forbids_after: ["a"],
        }),
        tool("b", { preconditions: [{ requires_prior_tool: "a" }] }),
      ],
      PHASES,
    ),
    steps: [
      [done("a", { n: 1 }, { ok: false }), "violation"],
      [state(({ phase, toolCalls, bindings }) => [phase, toolCalls, bindings.size]), '["one",1,0]'],
      [call("b"), "prior_tool_missing"],
      [call("a", { n: 1 }), "forbidden_after"],
    ],
  },
  {
    sentence: "refuses late, second and contradicting settlements by name",
    pack: pack([tool("a")]),
    steps: [
      [result(), "unknown_call"],
      [call("a"), "allow"],
      [lost, "accepted"],
      [result(), "outcome_is_open"],
      [settle({ kind: "happened", output: {} }), "accepted"],
      [settle({ kind: "did_not_happen" }), "already_settled"],
    ],
  },
  {
    sentence: "keeps an indeterminate write reserved and releases a read",
    pack: pack([tool("a"), tool("r", { side_effect: "read" })]),
    steps: [
      [call("a"), "allow"],
      [lost, "accepted"],
      [state(({ unsettled, toolCalls }) => [unsettled[0]?.status, toolCalls]), '["indeterminate",1]'],
      [call("r"), "allow"],
      [lost, "accepted"],
      [state(({ unsettled, toolCalls }) => [unsettled.length, toolCalls]), "[1,1]"],
    ],
  },
  {
    sentence: "commits at dispatch with commit_requirement none and takes nothing back",
    pack: pack([
      tool("a", { commit_requirement: "none" }),
      tool("b", { preconditions: [{ requires_prior_tool: "a" }] }),
    ]),
    steps: [
      [call("a"), "allow"],
      [call("b"), "allow"],
      [settle({ kind: "did_not_happen" }, 0), "committed_at_dispatch"],
      [settle({ kind: "error", sent: false }, 0), "accepted"],
      [state(({ toolCalls, unsettled }) => [toolCalls, unsettled.length]), "[2,1]"],
    ],
  },
  {
    sentence: "leaves the output of a call committed at dispatch unknown until its result arrives",
    pack: pack([{ ...REPLIER, commit_requirement: "none" }, USER]),
    steps: [
      [call("o"), "allow"],
      [call("u", { n: 1 }), "pending_conflict"],
      [result({ n: 1 }), "accepted"],
      [call("u", { n: 1 }), "allow"],
    ],
  },
];
