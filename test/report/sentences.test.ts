import { describe, expect, it } from "vitest";
import type { CompiledEnvelope } from "../../src/artifact/compiled.js";
import type { RuleBody, RuleKind } from "../../src/artifact/pack-rules.js";
import { ordinal, percent } from "../../src/report/sentence-words.js";
import { sentenceOf } from "../../src/report/sentences.js";

const at = { file: "session.yaml", line: 1 };
const path = (text: string) => ({ kind: "definite", text, steps: [text.slice(2)] }) as const;
const each = (text: string) => ({ kind: "multi", text, segments: [] }) as const;
const equals = (value: string | boolean) => [{ op: "equals", value } as const];
const atLeast = (value: number) => ({ op: "gte", value }) as const;

const aggregate = {
  at,
  name: "total",
  metric: "sum",
  tools: ["issue_refund"],
  path: path("$.amount"),
  gte: null,
  lte: 1000,
  reason: "One session may refund at most 1000 USD in all",
  when: [],
} as const;

const envelope: CompiledEnvelope = {
  at,
  name: "within",
  constraint: "lte_ceiling",
  band: null,
  reason: "No more than was found eligible",
  stages: [
    { at, tool: "check", path: path("$.max"), role: "ceiling", source: "output" },
    { at, tool: "refund", path: path("$.amount"), role: "constrained", source: "arguments" },
  ],
};

const [ceiling, constrained] = envelope.stages;
if (ceiling === undefined || constrained === undefined) throw new Error("no stages");

const checkpoint = {
  kind: "checkpoint",
  at,
  name: null,
  when: [{ at, path: path("$.amount"), operators: [atLeast(500)] }],
  match: "any",
  timeout_seconds: 900,
  on_timeout: "deny",
  context: [],
} as const;

/** At least one row for each kind; a kind without one does not compile. */
const TABLE: { readonly [K in RuleKind]: readonly [Extract<RuleBody, { readonly kind: K }>, string][] } = {
  gate: [
    [{ kind: "gate", at, source: "gate" }, "Every call is refused: the contract of the tool blocks it."],
    [
      { kind: "gate", at, source: "risk_defaults" },
      "Every call is refused: the session blocks all tools with this side effect.",
    ],
  ],
  policy_deny: [
    [
      {
        kind: "policy_deny",
        entry: { at, principal: [{ at, path: path("$.type"), operators: equals("readonly") }] },
      },
      'Refused for callers with $.type equal to "readonly".',
    ],
    [{ kind: "policy_deny", entry: { at, principal: [] } }, "Refused for every caller."],
    [
      {
        kind: "policy_deny",
        entry: { at, principal: [{ at, path: each("$.roles[*]"), operators: equals("guest") }] },
      },
      'Refused for callers with any of $.roles[*] equal to "guest".',
    ],
  ],
  policy_allow: [
    [
      {
        kind: "policy_allow",
        entries: [
          {
            at,
            principal: [
              { at, path: path("$.department"), operators: equals("support") },
              { at, path: path("$.level"), operators: [atLeast(2)] },
            ],
          },
          { at, principal: [{ at, path: path("$.admin"), operators: equals(true) }] },
        ],
      },
      'Allowed only for callers with $.department equal to "support" and $.level at least 2; or for callers with $.admin equal to true.',
    ],
  ],
  default_deny: [
    [
      { kind: "default_deny" },
      "Refused for every caller: nothing in the policy allows it, and what is not allowed is denied.",
    ],
  ],
  label_gate: [
    [
      { kind: "label_gate", at, label: "mnpi", reason: "No trading now!" },
      "Refused once the session carries the label `mnpi`: No trading now!",
    ],
  ],
  phase: [
    [{ kind: "phase", at, phases: ["assessed"], advances_to: null }, "May be called only in the phase `assessed`."],
    [
      { kind: "phase", at, phases: ["a", "b", "c"], advances_to: "d" },
      "May be called only in the phases `a`, `b` and `c`, and leads to `d`.",
    ],
  ],
  forbidden_by: [[{ kind: "forbidden_by", tool: "close_ticket" }, "Never after `close_ticket` has been called."]],
  precondition: [
    [
      { kind: "precondition", at, prior: { tool: "look", with_output: [], resource: null }, step_count: null },
      "Needs an earlier call of `look`.",
    ],
    [
      {
        kind: "precondition",
        at,
        prior: {
          tool: "verify",
          with_output: [{ at, path: path("$.verified"), operators: equals(true) }],
          resource: path("$.order_id"),
        },
        step_count: 2,
      },
      "Needs an earlier call of `verify` for the same $.order_id that answered with $.verified equal to true (the latest such call decides) and at least 2 completed steps.",
    ],
    [{ kind: "precondition", at, prior: null, step_count: 1 }, "Needs at least 1 completed step."],
  ],
  max_steps: [[{ kind: "max_steps", at, max: 30 }, "A session has at most 30 steps."]],
  max_tool_calls: [[{ kind: "max_tool_calls", at, max: 1 }, "A session has at most 1 call in all."]],
  max_calls_per_tool: [[{ kind: "max_calls_per_tool", at, max: 2 }, "May be called at most 2 times in a session."]],
  max_calls_per_step: [[{ kind: "max_calls_per_step", at, max: 3 }, "A step has at most 3 calls."]],
  max_cost: [[{ kind: "max_cost", at, max: 2.5 }, "Refused once the session has cost 2.5 USD."]],
  loop_detection: [
    [
      { kind: "loop_detection", at, window: 6, threshold: 3 },
      "The same call with the same arguments is refused the 3rd time within 6 calls.",
    ],
  ],
  schema: [
    [{ kind: "schema", at, schema: { root: true, defs: [] } }, "The arguments must fit the tool's definition."],
    [
      {
        kind: "schema",
        at,
        schema: {
          root: [
            { kind: "required", names: ["a", "b"] },
            { kind: "additional_properties", names: ["a", "b"], patterns: [], node: false },
          ],
          defs: [],
        },
      },
      "The arguments must fit the tool's definition, with `a` and `b` given, and no argument that it does not name.",
    ],
  ],
  input_invariant: [
    [
      { kind: "input_invariant", at, path: path("$.note"), operators: [{ op: "contains", value: "x" }] },
      'The argument $.note must contain "x".',
    ],
  ],
  execution_constraint: [
    [
      { kind: "execution_constraint", at, path: each("$.items[*].price"), operators: [atLeast(0)] },
      "Each argument $.items[*].price must be at least 0.",
    ],
  ],
  argument_invariant: [
    [
      {
        kind: "argument_invariant",
        at,
        path: path("$.order_id"),
        operators: [
          { op: "type", value: "string" },
          { op: "regex", pattern: { engine: "native", source: "^[0-9]+$" } },
        ],
      },
      "The argument $.order_id must be text and match the pattern `^[0-9]+$`.",
    ],
  ],
  derived_invariant: [
    [
      {
        kind: "derived_invariant",
        at,
        path: path("$.note"),
        operator: { op: "length_lte", value: 80 },
        optional: true,
        passes: ["null"],
      },
      "The argument $.note must be of length 80 or less or be nothing where it is given (by the tool's definition).",
    ],
  ],
  ref: [
    [
      { kind: "ref", at, path: path("$.id"), slot: "order", tolerance: null },
      "The argument $.id must equal the remembered `order`.",
    ],
    [
      { kind: "ref", at, path: path("$.price"), slot: "quoted", tolerance: 0.07 },
      "The argument $.price must equal the remembered `quoted` to within 7%.",
    ],
  ],
  capture: [
    [{ kind: "capture", at, path: path("$.id") }, "The argument $.id must be given, because other rules rely on it."],
  ],
  aggregate: [
    [
      { kind: "aggregate", aggregate },
      "Over a session the sum of $.amount of `issue_refund` must stay at or below 1000: One session may refund at most 1000 USD in all.",
    ],
    [
      {
        kind: "aggregate",
        aggregate: {
          ...aggregate,
          metric: "count",
          tools: null,
          path: null,
          lte: 3,
          when: [{ at, slot: "risk", operators: [atLeast(0.1)], then_gte: null, then_lte: 10 }],
        },
      },
      "Over a session the number of calls of all tools must stay at or below 3; where the remembered `risk` is at least 0.1, at or below 10 instead: One session may refund at most 1000 USD in all.",
    ],
    [
      { kind: "aggregate", aggregate: { ...aggregate, metric: "count_distinct", gte: 1, lte: 3, reason: "Few." } },
      "Over a session the number of different values of $.amount of `issue_refund` must stay between 1 and 3: Few.",
    ],
  ],
  envelope: [
    [
      { kind: "envelope", envelope },
      "The value $.amount of `refund` must stay at or below the latest $.max of the output of `check`: No more than was found eligible.",
    ],
    [
      {
        kind: "envelope",
        envelope: {
          ...envelope,
          constraint: "within_band",
          band: 0.05,
          stages: [{ ...ceiling, role: "anchor" }, constrained],
        },
      },
      "The value $.amount of `refund` must stay within 5% of the latest $.max of the output of `check`: No more than was found eligible.",
    ],
    [
      {
        kind: "envelope",
        envelope: {
          ...envelope,
          constraint: "monotonic_decrease",
          stages: [{ ...ceiling, role: "initial", source: "arguments" }, constrained],
        },
      },
      "The value $.amount of `refund` must never grow from one call to the next, beginning with the latest $.max of `check`: No more than was found eligible.",
    ],
  ],
  requires: [
    [
      {
        kind: "requires",
        at,
        reason: "Refunds do not exceed the price",
        that: {
          text: "args.amount\n  <= slots.order.price",
          tree: { kind: "literal", value: true },
        },
      },
      "Refunds do not exceed the price. Required: `args.amount <= slots.order.price`.",
    ],
  ],
  ensures: [
    [
      {
        kind: "ensures",
        requirement: {
          at,
          reason: "Never more than asked for.",
          that: { text: "output.paid <= args.amount", tree: { kind: "literal", value: true } },
        },
      },
      "Never more than asked for. Required: `output.paid <= args.amount`; otherwise the result is withheld, though the call counts.",
    ],
  ],
  checkpoint: [
    [
      { ...checkpoint, when: [{ at, that: { text: "args.a > 1", tree: { kind: "literal", value: true } } }] },
      "A person must approve when `args.a > 1` (within 15 minutes; silence means no).",
    ],
    [checkpoint, "A person must approve when $.amount is at least 500 (within 15 minutes; silence means no)."],
    [
      { ...checkpoint, name: "big", when: null, timeout_seconds: 1, on_timeout: "allow" },
      "A person must approve (`big`) every call (within 1 second; silence means yes).",
    ],
    [
      { ...checkpoint, when: [{ at, path: each("$.amounts[*]"), operators: [atLeast(500)] }] },
      "A person must approve when any of $.amounts[*] is at least 500 (within 15 minutes; silence means no).",
    ],
  ],
  output_invariant: [
    [
      {
        kind: "output_invariant",
        invariant: { at, path: path("$.status"), operators: [{ op: "one_of", values: ["ok", "late"] }] },
      },
      'In the result $.status must be equal to "ok" or "late"; otherwise the result is withheld, though the call counts.',
    ],
  ],
  output_stage: [
    [
      { kind: "output_stage", envelope, stage: { ...constrained, source: "output" } },
      "The value $.amount of the output of `refund` must stay at or below the latest $.max of the output of `check`: No more than was found eligible. Otherwise the result is withheld, though the call counts.",
    ],
  ],
  circuit_breaker: [
    [{ kind: "circuit_breaker", of: "blocks", most: 5 }, "5 refused calls in a row end the session."],
    [{ kind: "circuit_breaker", of: "errors", most: 3 }, "3 unexpected errors in a row end the session."],
    [{ kind: "circuit_breaker", of: "errors", most: 1 }, "1 unexpected error ends the session."],
  ],
  provider_block: [
    [
      { kind: "provider_block", provider: "anthropic", pattern: "tool_choice.type=any + thinking" },
      "Requests to `anthropic` in which `tool_choice.type` is `any` and `thinking` is set are not sent.",
    ],
  ],
  provider_warn: [
    [
      { kind: "provider_warn", provider: "openai", pattern: "parallel_tool_calls=false + gpt-4o-mini" },
      "Requests to `openai` in which `parallel_tool_calls` is `false` and the model is `gpt-4o-mini` are sent with a warning.",
    ],
  ],
  floating_alias: [
    [
      { kind: "floating_alias", provider: "openai" },
      "Requests to `openai` that name a model without a date are sent with a warning.",
    ],
  ],
  response_format: [
    [
      { kind: "response_format", tool: "pay", demand: { field: "finish_reason", value: "tool_calls" } },
      "A model's response that calls `pay`, or was asked to, must end with the finish reason `tool_calls`; otherwise none of its calls is made.",
    ],
    [
      { kind: "response_format", tool: "pay", demand: { field: "content_when_tool_calls" } },
      "A model's response that calls `pay`, or was asked to, must have no text besides its calls; otherwise none of its calls is made.",
    ],
    [
      { kind: "response_format", tool: "pay", demand: { field: "tool_calls_present" } },
      "A model's response that was asked to call `pay` must have a call; otherwise none of its calls is made.",
    ],
  ],
};

const ROWS: readonly [RuleBody, string][] = Object.values(TABLE).flat();

describe("a rule in a sentence", () => {
  it.each(ROWS)("of $kind: %#", (body, sentence) => {
    expect(sentenceOf({ id: "r", at, tools: ["t"], body })).toBe(sentence);
  });

  it("counts as people do", () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).join(" ")).toBe(
      "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th",
    );
    expect([0.05, 0.07, 0.001, 1.5].map(percent)).toEqual(["5%", "7%", "0.1%", "150%"]);
  });
});
