import Type, { type Static } from "typebox";
import {
  anyValue,
  count,
  definitePath,
  later,
  letExpressions,
  namedMap,
  operatorFields,
  path,
  principal,
  reason,
  record,
  requirementFields,
  sessionCheckpoint,
  text,
  toolName,
} from "./shared.js";
import { toolContract } from "./tool.js";

const toolList = (description: string) => Type.Array(toolName("A tool"), { description, minItems: 1 });

const phase = record({
  name: text("Name of the phase"),
  initial: Type.Optional(Type.Boolean({ description: "The phase a session starts in" })),
  terminal: Type.Optional(Type.Boolean({ description: "A phase a session may end in" })),
});

const sessionLimits = record(
  {
    max_steps: Type.Optional(count("Most steps (model turns) of a session")),
    max_tool_calls: Type.Optional(count("Most tool calls of a session")),
    max_tool_calls_mode: Type.Optional(
      Type.Enum(["block", "narrow"], { description: "At the cap: refuse calls (default), or also hide all tools" }),
    ),
    max_cost_per_session: Type.Optional(Type.Number({ description: "Most cost in US dollars", minimum: 0 })),
    max_calls_per_tool: Type.Optional(namedMap(count("Most calls of this tool"), "Most calls per tool")),
    max_calls_per_step: later(count("Most tool calls of one step (model turn)", 1)),
    loop_detection: Type.Optional(
      record(
        {
          window: count("How many of the last allowed proposals are compared", 1),
          threshold: count("Which equal call among them is blocked", 1),
        },
        "Blocks the same call repeated",
      ),
    ),
    circuit_breaker: Type.Optional(
      Type.Object(
        {
          consecutive_blocks: Type.Optional(count("Blocks in a row that kill the session", 1)),
          consecutive_errors: Type.Optional(count("Unexpected errors in a row that kill the session", 1)),
        },
        { additionalProperties: false, minProperties: 1, description: "Kills a session that keeps failing" },
      ),
    ),
  },
  "Limits of one session",
);

const allowRule = record(
  {
    principal: Type.Optional(principal),
    tools: Type.Optional(toolList("Tools the entry covers; without it all")),
    reason,
  },
  "Who may call",
);

const policyRule = record(
  { deny: Type.Optional(allowRule), allow: Type.Optional(allowRule) },
  "Exactly one of deny and allow",
);

const labelGate = record(
  {
    when_label: text("Label that activates the gate"),
    deny_tools: toolList("Tools denied while the label is there"),
    reason: text("Why, for people"),
  },
  "Denies tools once a label was added",
);

const policy = record(
  {
    default_deny: Type.Optional(Type.Boolean({ description: "Whether a tool that no allow entry covers is denied" })),
    rules: Type.Optional(Type.Array(policyRule, { description: "Session-wide rules; any matching deny blocks" })),
    label_gates: Type.Optional(Type.Array(labelGate, { description: "Tool gates by session label" })),
  },
  "Session-level policy",
);

const provider = record(
  {
    block_incompatible: Type.Optional(
      Type.Array(Type.String({ format: "provider-pattern" }), {
        description: "Request patterns that must not be sent",
      }),
    ),
    warn_incompatible: Type.Optional(
      Type.Array(Type.String({ format: "provider-pattern" }), { description: "Request patterns that are reported" }),
    ),
    warn_floating_alias: Type.Optional(
      Type.Boolean({ description: "Whether a model alias without version is reported" }),
    ),
  },
  "Constraints of one provider's API",
);

const bounds = {
  gte: Type.Optional(Type.Number({ description: "Lower bound" })),
  lte: Type.Optional(Type.Number({ description: "Upper bound" })),
};

const override = record(
  {
    binding: text("The slot whose value is compared"),
    ...operatorFields("override"),
    then_gte: Type.Optional(Type.Number({ description: "Lower bound while the condition matches" })),
    then_lte: Type.Optional(Type.Number({ description: "Upper bound while the condition matches" })),
  },
  "Other bounds while a binding has a value; first match wins",
);

const aggregate = record(
  {
    name: text("Unique name of the aggregate"),
    metric: Type.Enum(["sum", "count", "max", "min", "count_distinct"], { description: "What is computed" }),
    tool: Type.Union([Type.String({ format: "tool-name-or-star" }), Type.Array(toolName("A tool"), { minItems: 1 })], {
      description: 'The tool or tools it is computed over, or "*" for all',
    }),
    path: Type.Optional(path("JSONPath into the arguments; required but for count")),
    per: later(definitePath("JSONPath into the arguments: each value there is counted apart, under the same bounds")),
    ...bounds,
    reason: text("Why, for people; appears in refusals"),
    when: Type.Optional(Type.Array(override, { description: "Conditional bounds", minItems: 1 })),
  },
  "A bound on a value computed over all calls of the session",
);

const stage = record(
  {
    tool: toolName("The tool of the stage"),
    path: definitePath("JSONPath to the value"),
    role: Type.Enum(["ceiling", "floor", "anchor", "initial", "constrained"], { description: "What the value does" }),
    source: Type.Optional(
      Type.Enum(["arguments", "output"], { description: "Where the value is read from (default: arguments)" }),
    ),
  },
  "A point where a value is captured or checked",
);

const envelope = record(
  {
    name: text("Unique name of the envelope"),
    stages: Type.Array(stage, {
      description: "Points where values are captured or checked, at least two",
      minItems: 2,
    }),
    constraint: Type.Enum(
      ["lte_ceiling", "gte_floor", "within_band", "monotonic_decrease", "monotonic_increase", "bounded"],
      { description: "What constrained values must satisfy" },
    ),
    band: Type.Optional(
      Type.Number({ description: "Width for within_band as a fraction of the anchor", exclusiveMinimum: 0 }),
    ),
    reason: text("Why, for people"),
  },
  "A constraint on values across tool calls",
);

const suppression = record(
  {
    check: text("The code of the warning"),
    tool: Type.Optional(toolName("The tool it is suppressed for; without it everywhere")),
    reason: text("Why it is fine"),
  },
  "Silences one warning, with a reason",
);

const { properties: ofTools } = toolContract;

const toolDefaults = record(
  {
    evidence_class: Type.Optional(ofTools.evidence_class),
    commit_requirement: Type.Optional(ofTools.commit_requirement),
    timeouts: Type.Optional(ofTools.timeouts),
    retries: Type.Optional(ofTools.retries),
    rate_limits: Type.Optional(ofTools.rate_limits),
    assertions: Type.Optional(ofTools.assertions),
    golden_cases: Type.Optional(ofTools.golden_cases),
    allowed_errors: Type.Optional(ofTools.allowed_errors),
    transitions: ofTools.transitions,
    schema_derived: ofTools.schema_derived,
    policy: ofTools.policy,
    response_format_invariants: ofTools.response_format_invariants,
    checkpoint: ofTools.checkpoint,
  },
  "Fields that tool contracts may then leave out; one that a contract has replaces the default whole",
);

const requirement = record(
  { tools: Type.Optional(toolList("Tools that it is for; without it all")), ...requirementFields },
  "What must be true for calls, and why",
);

const riskDefault = (sideEffect: string) =>
  Type.Optional(Type.Enum(["allow", "block"], { description: `Default for ${sideEffect} tools` }));

/** session.yaml. */
export const sessionContract = record(
  {
    schema_version: Type.String({ description: 'Version of the language, "1.0" or "1.1"', format: "language-version" }),
    agent: text("Name of the agent"),
    phases: Type.Optional(Type.Array(phase, { description: "The phases of a session", minItems: 1 })),
    transitions: Type.Optional(namedMap(Type.Array(text("A phase")), "The phases that may follow each phase")),
    session_limits: Type.Optional(sessionLimits),
    risk_defaults: Type.Optional(
      record(
        {
          read: riskDefault("read"),
          write: riskDefault("write"),
          destructive: riskDefault("destructive"),
          admin: riskDefault("admin"),
          financial: riskDefault("financial"),
        },
        "What happens to tools without a gate, by side effect; an unlisted class is allowed",
      ),
    ),
    policy: Type.Optional(policy),
    provider_constraints: Type.Optional(
      record({ openai: Type.Optional(provider), anthropic: Type.Optional(provider) }, "Known API incompatibilities"),
    ),
    resources: Type.Optional(
      namedMap(
        record({
          type: text("Kind of the resource"),
          extract_from: record(
            { path: definitePath("JSONPath to its key in the arguments") },
            "Where its key is read from",
          ),
        }),
        "Resources that calls act on, for workflows",
      ),
    ),
    slot_limits: later(
      namedMap(
        Type.Integer({ minimum: 1, maximum: 10_000 }),
        "How many keys, or values of a union, a slot keeps at most (default: 10,000)",
      ),
    ),
    aggregates: Type.Optional(Type.Array(aggregate, { description: "Bounds on session-wide values" })),
    envelopes: Type.Optional(Type.Array(envelope, { description: "Constraints on values across tool calls" })),
    checkpoints: Type.Optional(Type.Array(sessionCheckpoint, { description: "Human approvals" })),
    let: later(letExpressions),
    requires: later(Type.Array(requirement, { description: "What must be true for a call to be allowed" })),
    schema_derived: Type.Optional(
      Type.Boolean({ description: "Whether tool schemas add argument checks (default: true)" }),
    ),
    tool_defaults: later(toolDefaults),
    constants: later(namedMap(anyValue("Any JSON value"), "Values that expressions read as `constants.name`")),
    timezone: later(
      Type.String({
        description: "IANA name of the time zone in which times without an offset are read",
        format: "time-zone",
      }),
    ),
    graph_analysis: Type.Optional(
      record(
        { suppress: Type.Array(suppression, { description: "Warnings that are fine" }) },
        "Settings of the graph analysis",
      ),
    ),
  },
  "Session-level configuration of a pack",
);

export type SessionContract = Static<typeof sessionContract>;
export type ToolDefaults = Static<typeof toolDefaults>;
export type Aggregate = Static<typeof aggregate>;
export type AggregateOverride = Static<typeof override>;
export type Envelope = Static<typeof envelope>;
export type Stage = Static<typeof stage>;
export type Suppression = Static<typeof suppression>;
