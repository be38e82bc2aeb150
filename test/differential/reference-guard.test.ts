import { describe, expect, it } from "vitest";
import type { SessionContract } from "../../src/language/schema/session.js";
import { tryCompile } from "./compile-pack.js";
import type { Options, Pack } from "./reference/model.js";
import {
  approve,
  beginStep,
  call,
  deny,
  done,
  hidden,
  meanwhile,
  pack,
  result,
  resume,
  type Step,
  settle,
  start,
  state,
  tool,
} from "./scenario.js";

interface Scenario {
  readonly sentence: string;
  readonly pack: Pack;
  readonly options?: Partial<Options>;
  /** What is done, each with the word it is answered with. */
  readonly steps: readonly (readonly [Step, string])[];
}

const PHASES: Partial<SessionContract> = {
  phases: [{ name: "one", initial: true }, { name: "two" }, { name: "end", terminal: true }],
  transitions: { one: ["two"], two: ["end"] },
};
const ALWAYS = { when: "always" as const, timeout_seconds: 30 };
const lost = settle({ kind: "timeout", sent: true });
const unsent = settle({ kind: "error", sent: false });

const ADMISSION: readonly Scenario[] = [
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

const ORDER: readonly Scenario[] = [
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

const LIMITS: readonly Scenario[] = [
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

const SCHEMA = {
  type: "object",
  properties: { n: { type: "number", maximum: 5 }, s: { type: "string", pattern: "^a" } },
  required: ["n"],
};
const DEFINED = [{ name: "a", input_schema: SCHEMA }];

const ARGUMENTS: readonly Scenario[] = [
  {
    sentence: "checks the schema but for derivable keywords, which fail by themselves",
    pack: pack([tool("a")], undefined, DEFINED),
    steps: [
      [call("a", {}), "schema_mismatch"],
      [call("a", { n: "1" }), "schema_mismatch"],
      [call("a", { n: 6 }), "schema_derived_failed"],
      [call("a", { n: 1, s: "b" }), "schema_derived_failed"],
      [call("a", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "lets a manual invariant replace derived ones on the same path",
    pack: pack([tool("a", { argument_value_invariants: [{ path: "$['n']", lte: 9 }] })], undefined, DEFINED),
    steps: [
      [call("a", { n: 9 }), "allow"],
      [call("a", { n: 10 }), "argument_invariant_failed"],
      [call("a", { n: 1, s: "b" }), "schema_derived_failed"],
    ],
  },
  {
    sentence: "switches derived invariants off by path, by tool and by session, the tool outranking the session",
    pack: pack(
      [tool("a", { schema_derived: true, schema_derived_exclude: ["$.n"] })],
      { schema_derived: false },
      DEFINED,
    ),
    steps: [
      [call("a", { n: 6 }), "allow"],
      [call("a", { n: 1, s: "b" }), "schema_derived_failed"],
    ],
  },
  {
    sentence: "fails a missing path for every operator but exists: false",
    pack: pack([
      tool("a", { assertions: { input_invariants: [{ path: "$.x", exists: false }], output_invariants: [] } }),
      tool("b", { assertions: { input_invariants: [{ path: "$.x", lte: 1 }], output_invariants: [] } }),
    ]),
    steps: [
      [call("a"), "allow"],
      [call("b"), "input_invariant_failed"],
    ],
  },
  {
    sentence: "wants every value that a path matches to satisfy the operator",
    pack: pack([tool("a", { execution_constraints: { arguments: [{ path: "$..n", lte: 2 }] } })]),
    steps: [
      [call("a", { n: 1, deep: [{ n: 2 }] }), "allow"],
      [call("a", { n: 1, deep: [{ n: 3 }] }), "execution_constraint_failed"],
      [call("a", {}), "execution_constraint_failed"],
    ],
  },
  {
    sentence: "reads own properties only",
    pack: pack([
      tool("a", {
        assertions: { input_invariants: [{ path: "$.constructor", exists: false }], output_invariants: [] },
      }),
    ]),
    steps: [
      [call("a", {}), "allow"],
      [call("a", { constructor: 1 }), "input_invariant_failed"],
    ],
  },
  {
    sentence: "blocks equals_env with the variable unset",
    pack: pack([
      tool("a", { execution_constraints: { arguments: [{ path: "$.r", equals_env: "REGION" }] } }),
      tool("b", { execution_constraints: { arguments: [{ path: "$.r", equals_env: "UNSET" }] } }),
    ]),
    steps: [
      [call("a", { r: "EU" }), "allow"],
      [call("b", { r: "" }), "execution_constraint_failed"],
    ],
  },
  {
    sentence: "counts the length of strings in code points",
    pack: pack([tool("a", { execution_constraints: { arguments: [{ path: "$.s", length_lte: 1 }] } })]),
    steps: [
      [call("a", { s: "😀" }), "allow"],
      [call("a", { s: "ab" }), "execution_constraint_failed"],
    ],
  },
];

const BINDER = tool("a", { binds: [{ name: "x", path: "$.n" }] });
const REPLIER = tool("o", { binds: [{ name: "x", source: "output", path: "$.n" }] });
const USER = tool("u", { argument_value_invariants: [{ path: "$.n", ref: "x" }] });

const SLOTS: readonly Scenario[] = [
  {
    sentence: "blocks a ref to an unset slot and one to another value",
    pack: pack([BINDER, USER]),
    steps: [
      [call("u", { n: 1 }), "ref_unset"],
      [done("a", { n: 1 }), "accepted"],
      [call("u", { n: 2 }), "ref_mismatch"],
      [call("u", {}), "ref_mismatch"],
      [call("u", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "wants a ref to hold under both values while a binding call is pending",
    pack: pack([BINDER, USER]),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("a", { n: 2 }), "allow"],
      [call("u", { n: 1 }), "ref_mismatch"],
      [unsent, "accepted"],
      [call("a", { n: 1 }), "allow"],
      [call("u", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "blocks with pending_conflict where a pending output may replace the slot",
    pack: pack([BINDER, REPLIER, USER]),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("o"), "allow"],
      [call("u", { n: 1 }), "pending_conflict"],
      [result({ n: 1 }), "accepted"],
      [call("u", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "names the failure rather than the conflict where one world fails outright",
    pack: pack([REPLIER, USER]),
    steps: [
      [call("o"), "allow"],
      [call("u", { n: 1 }), "ref_unset"],
    ],
  },
  {
    sentence: "takes tolerance as a fraction of the bound value, in exact decimals",
    pack: pack([BINDER, tool("t", { argument_value_invariants: [{ path: "$.n", ref: "x", tolerance: 0.1 }] })]),
    steps: [
      [done("a", { n: -3 }), "accepted"],
      [call("t", { n: -3.3 }), "allow"],
      [call("t", { n: -2.7 }), "allow"],
      [call("t", { n: -3.31 }), "ref_mismatch"],
    ],
  },
  {
    sentence: "blocks a call whose argument to bind is missing, and unsets a slot whose output lacks the value",
    pack: pack([BINDER, REPLIER]),
    steps: [
      [call("a", {}), "bind_missing"],
      [done("a", { n: null }), "accepted"],
      [state(({ bindings }) => [...bindings]), '[["x",null]]'],
      [done("o", {}, {}), "accepted"],
      [state(({ bindings }) => [...bindings]), "[]"],
    ],
  },
  {
    sentence: "unsets output slots of a call that happened without an output",
    pack: pack([BINDER, REPLIER]),
    steps: [
      [done("a", { n: 1 }), "accepted"],
      [call("o"), "allow"],
      [lost, "accepted"],
      [settle({ kind: "happened" }), "accepted"],
      [state(({ bindings }) => [...bindings]), "[]"],
    ],
  },
];

const SUM = { name: "total", metric: "sum" as const, tool: "a", path: "$.n", reason: "Too much" };

const AGGREGATES: readonly Scenario[] = [
  {
    sentence: "sums exact decimals: 0.1 + 0.2 is 0.3",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, lte: 0.3 }] }),
    steps: [
      [done("a", { n: 0.1 }), "accepted"],
      [done("a", { n: 0.2 }), "accepted"],
      [state(({ aggregates }) => [...aggregates]), '[["total",0.3]]'],
      [call("a", { n: 0.0000001 }), "aggregate_exceeded"],
    ],
  },
  {
    sentence: "counts pending amounts that raise an upper bound and not those that would save a lower one",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, gte: 0, lte: 5 }] }),
    steps: [
      [call("a", { n: 3 }), "allow"],
      [call("a", { n: 3 }), "aggregate_exceeded"],
      [call("a", { n: -2 }), "aggregate_exceeded"],
      [result(), "accepted"],
      [call("a", { n: -2 }), "allow"],
    ],
  },
  {
    sentence: "blocks a call of a named tool without the value, and one that is no number",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, lte: 5 }] }),
    steps: [
      [call("a", {}), "aggregate_unjudgeable"],
      [call("a", { n: "1" }), "aggregate_unjudgeable"],
    ],
  },
  {
    sentence: "lets a call without the path contribute nothing to an aggregate over all tools",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, metric: "max", tool: "*", lte: 5 }] }),
    steps: [
      [call("a", {}), "allow"],
      [state(({ aggregates }) => [...aggregates]), '[["total",null]]'],
      [call("a", { n: 6 }), "aggregate_exceeded"],
    ],
  },
  {
    sentence: "adds up every value of a multi-valued path, as often as it is matched",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, path: "$.l[0,0,1]", lte: 5 }] }),
    steps: [
      [call("a", { l: [2, 1] }), "allow"],
      [state(({ aggregates }) => [...aggregates]), '[["total",5]]'],
    ],
  },
  {
    sentence: "counts distinct JSON values",
    pack: pack([tool("a")], { aggregates: [{ ...SUM, metric: "count_distinct", lte: 1 }] }),
    steps: [
      [call("a", { n: { x: 1, y: 2 } }), "allow"],
      [call("a", { n: { y: 2, x: 1 } }), "allow"],
      [call("a", { n: 1 }), "aggregate_exceeded"],
    ],
  },
  {
    sentence: "takes the bounds of the first when that is true, and the base bounds while the slot is unset",
    pack: pack([BINDER, tool("c")], {
      aggregates: [
        {
          ...SUM,
          metric: "count",
          tool: "c",
          lte: 0,
          when: [
            { binding: "x", gte: 5, then_lte: 2 },
            { binding: "x", gte: 1, then_lte: 1 },
          ],
        },
      ],
    }),
    steps: [
      [call("c"), "aggregate_exceeded"],
      [hidden("c"), "aggregate_exceeded"],
      [done("a", { n: 1 }), "accepted"],
      [call("c"), "allow"],
      [call("c"), "aggregate_exceeded"],
      [done("a", { n: "high" }), "accepted"],
      [call("c"), "aggregate_unjudgeable"],
    ],
  },
];

const CEILING = {
  name: "size",
  constraint: "lte_ceiling" as const,
  reason: "Too large",
  stages: [
    { tool: "a", path: "$.n", role: "ceiling" as const },
    { tool: "b", path: "$.n", role: "constrained" as const },
  ],
};

const ENVELOPES: readonly Scenario[] = [
  {
    sentence: "blocks a constrained stage before its reference is set, and above it",
    pack: pack([tool("a"), tool("b")], { envelopes: [CEILING] }),
    steps: [
      [call("b", { n: 1 }), "envelope_unset"],
      [done("a", { n: 2 }), "accepted"],
      [call("b", { n: 3 }), "envelope_violated"],
      [call("b", { n: 2 }), "allow"],
      [call("b", {}), "bind_missing"],
    ],
  },
  {
    sentence: "lets a pending lower ceiling restrict and a pending higher one permit nothing",
    pack: pack([tool("a"), tool("b")], { envelopes: [CEILING] }),
    steps: [
      [done("a", { n: 2 }), "accepted"],
      [call("a", { n: 1 }), "allow"],
      [call("b", { n: 2 }), "envelope_violated"],
      [unsent, "accepted"],
      [call("a", { n: 9 }), "allow"],
      [call("b", { n: 3 }), "envelope_violated"],
    ],
  },
  {
    sentence: "measures a band as a fraction of the anchor, and an anchor that is no number violates",
    pack: pack([tool("a"), tool("b")], {
      envelopes: [
        {
          ...CEILING,
          constraint: "within_band",
          band: 0.1,
          stages: [
            { tool: "a", path: "$.n", role: "anchor", source: "output" },
            { tool: "b", path: "$.n", role: "constrained" },
          ],
        },
      ],
    }),
    steps: [
      [done("a", {}, { n: 10 }), "accepted"],
      [call("b", { n: 11 }), "allow"],
      [call("b", { n: 11.1 }), "envelope_violated"],
      [done("a", {}, { n: "10" }), "accepted"],
      [call("b", { n: 10 }), "envelope_violated"],
      [done("a", {}, {}), "accepted"],
      [call("b", { n: 10 }), "envelope_unset"],
    ],
  },
  {
    sentence:
      "compares a monotonic value with the last one of the envelope, equality allowed, and a second initial restarts",
    pack: pack([tool("a"), tool("b")], {
      envelopes: [
        {
          ...CEILING,
          constraint: "monotonic_decrease",
          stages: [
            { tool: "a", path: "$.n", role: "initial" },
            { tool: "b", path: "$.n", role: "constrained" },
          ],
        },
      ],
    }),
    steps: [
      [done("a", { n: 5 }), "accepted"],
      [done("b", { n: 5 }), "accepted"],
      [done("b", { n: 3 }), "accepted"],
      [call("b", { n: 4 }), "envelope_violated"],
      [done("a", { n: 9 }), "accepted"],
      [call("b", { n: 4 }), "allow"],
    ],
  },
  {
    sentence: "judges an output-sourced constrained stage when the result arrives",
    pack: pack([tool("a"), tool("b")], {
      envelopes: [
        {
          ...CEILING,
          stages: [
            { tool: "a", path: "$.n", role: "ceiling" },
            { tool: "b", path: "$.n", role: "constrained", source: "output" },
          ],
        },
      ],
    }),
    steps: [
      [done("a", { n: 2 }), "accepted"],
      [done("b", {}, { n: 2 }), "accepted"],
      [done("b", {}, { n: 3 }), "violation"],
    ],
  },
];

const OK = { assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] } };

const SETTLING: readonly Scenario[] = [
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
    sentence: "takes an error answer for not executed: a code, or a 4xx other than 408",
    pack: pack([tool("a")]),
    steps: [
      [call("a"), "allow"],
      [settle({ kind: "error", sent: true, code: "busy", status: 500 }), "accepted"],
      [state(({ toolCalls }) => toolCalls), "0"],
      [call("a"), "allow"],
      [settle({ kind: "error", sent: true, status: 408 }), "accepted"],
      [state(({ toolCalls }) => toolCalls), "1"],
    ],
  },
  {
    sentence: "lets the outcome of a matching allowed error decide, all keys of the entry matching",
    pack: pack([
      tool("a", {
        allowed_errors: [
          { status: "4xx", code: "flying", outcome: "unknown" },
          { message_regex: "^never", outcome: "not_executed" },
        ],
      }),
    ]),
    steps: [
      [call("a"), "allow"],
      [settle({ kind: "error", sent: true, status: 404, code: "flying" }), "accepted"],
      [state(({ unsettled }) => unsettled.length), "1"],
      [call("a"), "allow"],
      [settle({ kind: "error", sent: true, status: 500, message: "never ran" }), "accepted"],
      [state(({ unsettled }) => unsettled.length), "1"],
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

const asking = (fields: object = {}) => tool("a", { checkpoint: { ...ALWAYS, ...fields } });

const APPROVALS: readonly Scenario[] = [
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
      [resume, "allow"],
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
      [resume, "allow"],
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

const MODES: readonly Scenario[] = [
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

describe.each([
  ["admission", ADMISSION],
  ["order", ORDER],
  ["limits", LIMITS],
  ["arguments", ARGUMENTS],
  ["slots", SLOTS],
  ["aggregates", AGGREGATES],
  ["envelopes", ENVELOPES],
  ["settling", SETTLING],
  ["approvals", APPROVALS],
  ["modes", MODES],
])("the reference guard: %s", (_, scenarios) => {
  it.each(scenarios.map((scenario) => [scenario.sentence, scenario] as const))("%s", (_sentence, scenario) => {
    expect(tryCompile(scenario.pack)).toHaveProperty("hash");
    const play = start(scenario.pack, scenario.options);
    expect(scenario.steps.map(([step]) => step(play))).toEqual(scenario.steps.map(([, word]) => word));
  });
});

describe("the reference guard", () => {
  it("refuses to start without a principal where a rule looks at one", () => {
    const needy = pack([tool("a", { policy: { deny: [{ principal: { path: "$.type", equals: "bot" } }] } })]);
    expect(() => start(needy)).toThrow("the pack needs a principal");
  });
});
