import { beginStep, call, done, hidden, pack, result, type Scenario, settle, tool } from "../scenario.js";
import { PHASES, unsent } from "./parts.js";

/** The sentences about this, each as a scenario. */
export const ORDER: readonly Scenario[] = [
  {
    sentence: "advances the phase on the commit, not on the proposal",
    pack: pack(
      [
        tool("a", { transitions: { valid_in_phases: ["one"], advances_to: "two" } }),
        tool("b", { transitions: { valid_in_phases: ["two"] } }),
      ],
      PHASES,
    ),
    steps: [
      [call("a"), "allow"],
      [call("b"), "phase_not_allowed"],
      [result(), "accepted"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "wants a call to be legal in both phases while an advancing one is pending",
    pack: pack(
      [
        tool("a", { transitions: { valid_in_phases: ["one"], advances_to: "two" } }),
        tool("b", { transitions: { valid_in_phases: ["one"] } }),
        tool("c", { transitions: { valid_in_phases: ["one", "two"] } }),
      ],
      PHASES,
    ),
    steps: [
      [call("a"), "allow"],
      [call("b"), "phase_not_allowed"],
      [call("c"), "allow"],
    ],
  },
  {
    sentence: "wants an edge to the next phase, and none for staying",
    pack: pack(
      [
        tool("a", { transitions: { valid_in_phases: ["one"], advances_to: "end" } }),
        tool("b", { transitions: { valid_in_phases: ["one"], advances_to: "one" } }),
      ],
      PHASES,
    ),
    steps: [
      [call("a"), "transition_not_allowed"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "lets forbids_after act from the reservation on and ends it with the release",
    pack: pack([tool("a", { forbids_after: ["b"] }), tool("b")]),
    steps: [
      [call("a"), "allow"],
      [call("b"), "forbidden_after"],
      [unsent, "accepted"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "takes a prior call only once it is committed",
    pack: pack([tool("a"), tool("b", { preconditions: [{ requires_prior_tool: "a" }] })]),
    steps: [
      [call("a"), "allow"],
      [call("b"), "prior_tool_missing"],
      [result(), "accepted"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "wants the prior call from an earlier step",
    pack: pack([tool("a"), tool("b", { preconditions: [{ requires_prior_tool: "a" }] })]),
    steps: [
      [beginStep, "allow"],
      [done("a"), "accepted"],
      [call("b"), "prior_tool_missing"],
      [beginStep, "allow"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "lets the latest output decide, also a refusal of the same step",
    pack: pack([
      tool("a"),
      tool("b", { preconditions: [{ requires_prior_tool: "a", with_output: [{ path: "$.ok", equals: true }] }] }),
    ]),
    steps: [
      [beginStep, "allow"],
      [done("a", {}, { ok: true }), "accepted"],
      [beginStep, "allow"],
      [done("a", {}, { ok: false }), "accepted"],
      [call("b"), "prior_output_mismatch"],
    ],
  },
  {
    sentence: "does not let an approval of the same step heal a refusal of an earlier one",
    pack: pack([
      tool("a"),
      tool("b", { preconditions: [{ requires_prior_tool: "a", with_output: [{ path: "$.ok", equals: true }] }] }),
    ]),
    steps: [
      [beginStep, "allow"],
      [done("a", {}, { ok: false }), "accepted"],
      [beginStep, "allow"],
      [done("a", {}, { ok: true }), "accepted"],
      [call("b"), "prior_output_mismatch"],
    ],
  },
  {
    sentence: "blocks with pending_conflict where an unknown output may revoke the prior one",
    pack: pack([
      tool("a"),
      tool("b", { preconditions: [{ requires_prior_tool: "a", with_output: [{ path: "$.ok", equals: true }] }] }),
    ]),
    steps: [
      [done("a", {}, { ok: true }), "accepted"],
      [call("a"), "allow"],
      [call("b"), "pending_conflict"],
      [hidden("b"), "pending_conflict"],
    ],
  },
  {
    sentence: "looks only at prior calls for the same entity where a resource is named",
    pack: pack([
      tool("a"),
      tool("b", {
        preconditions: [{ requires_prior_tool: "a", resource: { bind_from: "arguments", path: "$.id" } }],
      }),
    ]),
    steps: [
      [done("a", { id: 1 }), "accepted"],
      [call("b", { id: 2 }), "prior_tool_missing"],
      [call("b", {}), "prior_tool_missing"],
      [call("b", { id: 1.0 }), "allow"],
      [hidden("b"), "visible"],
    ],
  },
  {
    sentence: "takes an output that never came for one that satisfies nothing",
    pack: pack([
      tool("a"),
      tool("b", { preconditions: [{ requires_prior_tool: "a", with_output: [{ path: "$.ok", exists: false }] }] }),
    ]),
    steps: [
      [call("a"), "allow"],
      [settle({ kind: "happened" }), "accepted"],
      [call("b"), "prior_output_mismatch"],
    ],
  },
  {
    sentence: "counts completed steps: own ones of calls that surely happened",
    pack: pack([tool("a"), tool("b", { preconditions: [{ requires_step_count: { gte: 1 } }] })]),
    steps: [
      [call("a"), "allow"],
      [call("b"), "step_count_too_low"],
      [result(), "accepted"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "does not count the open step as completed",
    pack: pack([tool("b", { preconditions: [{ requires_step_count: { gte: 1 } }] })]),
    steps: [
      [beginStep, "allow"],
      [call("b"), "step_count_too_low"],
      [beginStep, "allow"],
      [call("b"), "allow"],
    ],
  },
];
