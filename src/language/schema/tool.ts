import Type, { type Static } from "typebox";
import {
  anyValue,
  count,
  definitePath,
  invariant,
  later,
  letExpressions,
  namedMap,
  path,
  principal,
  reason,
  record,
  regex,
  requirementFields,
  ruleInvariant,
  sideEffect,
  text,
  toolCheckpoint,
  toolName,
  valueInvariant,
} from "./shared.js";

const precondition = record(
  {
    requires_prior_tool: Type.Optional(toolName("A tool that must have a committed call from an earlier step")),
    with_output: Type.Optional(
      Type.Array(invariant, { description: "What the latest committed output of that tool must satisfy", minItems: 1 }),
    ),
    resource: Type.Optional(
      record(
        {
          bind_from: Type.Literal("arguments", { description: "Where the entity is read from" }),
          path: definitePath("JSONPath to the entity in the arguments of both calls"),
        },
        "The prior call must have been for the same entity",
      ),
    ),
    requires_step_count: Type.Optional(
      record({ gte: count("Smallest number of completed steps") }, "A number of completed steps"),
    ),
    reason,
  },
  "What must have happened before; an entry with several requirements needs all of them",
);

const allowedError = record(
  {
    status: Type.Optional(
      Type.Union([Type.Integer({ minimum: 100, maximum: 599 }), Type.String({ format: "http-status" })], {
        description: 'HTTP status such as 404, or a class such as "5xx"',
      }),
    ),
    code: Type.Optional(text("Error code of the tool")),
    message_regex: Type.Optional(regex("Pattern the error message must match")),
    outcome: Type.Optional(
      Type.Enum(["not_executed", "unknown"], { description: "What the error means for the effect" }),
    ),
    reason: Type.Optional(text("Why this error is expected")),
  },
  "An expected error; all keys given must match",
);

const historyEntry = record({
  tool: toolName("The tool that was called"),
  arguments: Type.Optional(namedMap(anyValue("An argument"), "Its arguments")),
  output: Type.Optional(anyValue("Its output")),
});

/** A session before its first call that matters. */
export const givenSession = record(
  {
    phase: Type.Optional(text("The phase the session is in")),
    labels: Type.Optional(Type.Array(text("A label"), { description: "Labels of the session" })),
    bindings: Type.Optional(namedMap(anyValue("The bound value"), "Bound slots and their values")),
    principal: Type.Optional(namedMap(anyValue("An attribute"), "Who is calling")),
    history: Type.Optional(Type.Array(historyEntry, { description: "Committed calls, oldest first" })),
    now: later(text("The time of the call, in RFC 3339 with an offset")),
  },
  "The session before the call",
);
export type GivenEntry = Static<typeof givenSession>;

const goldenCase = record(
  {
    id: text("Unique name of the case"),
    arguments: Type.Optional(namedMap(anyValue("An argument"), "The arguments of the call")),
    input_ref: Type.Optional(text("A JSON file with the arguments, relative to the pack")),
    given: Type.Optional(givenSession),
    expect_ok: Type.Boolean({ description: "Whether the call must be allowed" }),
    expected_error: Type.Optional(text("The reason code of the refusal")),
    provider_modes: Type.Optional(
      Type.Array(text("A provider mode"), { description: "Provider modes the case is for" }),
    ),
  },
  "A reference call with the verdict it must get",
);

const keyPart = Type.Union(
  [
    Type.String({ format: "key-path" }),
    record(
      {
        source: Type.Enum(["arguments", "output"], { description: "What the key is read from" }),
        path: definitePath("JSONPath to the key"),
      },
      "A key that is read from another source than the value",
    ),
  ],
  { description: "JSONPath to a key, in the source of the value, or from `@`, which is each match of `path`" },
);

const key = (description: string) =>
  Type.Union([...keyPart.anyOf, Type.Array(keyPart, { minItems: 1 })], { description });

const bind = record(
  {
    name: text("Slot name, unique within the tool"),
    source: Type.Optional(
      Type.Enum(["arguments", "output"], { description: "Where the value is read from (default: arguments)" }),
    ),
    path: path("JSONPath to the value; with a key from `@`, or `collect`, it may match several"),
    key: later(key("The key that the value is bound under; several of them nest")),
    collect: later(Type.Enum(["union"], { description: "The slot has the distinct values of all calls" })),
    decode: later(Type.Enum(["json"], { description: "The text at the path is JSON, which is decoded" })),
  },
  "Captures a value of a committed call into a slot of the session",
);

const unbind = record(
  {
    name: text("The slot"),
    key: Type.Optional(key("What is unbound: fewer keys than the slot has mean all below them, none the whole slot")),
  },
  "What was bound before a committed call and is not known any more, before the call binds anew",
);

const requirement = record(requirementFields, "What must be true, and why");

const policyEntry = record(
  { principal: Type.Optional(principal), reason },
  "Who the entry is about; without `principal`, every principal",
);
const denyEntry = record({ principal, reason }, "Who may not call the tool");

/** One tool contract, `{tool}.yaml`. */
export const toolContract = record(
  {
    tool: toolName("Tool name; equals the file name and the function name in the tool definitions"),
    side_effect: sideEffect("Risk class of the tool"),
    evidence_class: Type.Enum(["local_transaction", "ack_only", "unverifiable"], {
      description: "What a reply of the tool proves",
    }),
    commit_requirement: Type.Enum(["acknowledged", "none"], {
      description: "When the session advances: on the result, or at dispatch",
    }),
    timeouts: record(
      {
        total_ms: Type.Number({ description: "Time for all attempts together, in milliseconds", exclusiveMinimum: 0 }),
      },
      "Time limits of a call",
    ),
    retries: record(
      {
        max_attempts: count("Attempts in total, including the first", 1),
        retry_on: Type.Array(Type.String({ format: "error-token" }), {
          description:
            'What is retried: a status "429", a class "5xx", timeout, network, transport_error, or an error code',
        }),
      },
      "Retry policy; all attempts share one reservation",
    ),
    rate_limits: record(
      {
        on_429: record(
          {
            respect_retry_after: Type.Boolean({ description: "Whether Retry-After is honoured" }),
            max_sleep_seconds: Type.Number({ description: "Longest wait", minimum: 0 }),
          },
          "What to do on HTTP 429",
        ),
      },
      "Rate limit handling",
    ),
    assertions: record(
      {
        input_invariants: Type.Array(ruleInvariant, { description: "What the arguments must satisfy" }),
        output_invariants: Type.Array(ruleInvariant, { description: "What the response must satisfy" }),
      },
      "Structural assertions",
    ),
    golden_cases: Type.Array(goldenCase, { description: "Reference calls with the verdict each must get" }),
    allowed_errors: Type.Array(
      Type.Union([Type.String({ description: "An error code or HTTP status", format: "error-token" }), allowedError]),
      { description: "Errors that are expected and do not feed the circuit breaker" },
    ),
    gate: Type.Optional(
      Type.Enum(["allow", "block"], { description: "Overrides the risk_defaults of the session for this tool" }),
    ),
    transitions: Type.Optional(
      record(
        {
          valid_in_phases: Type.Array(text("A phase"), {
            description: "Phases in which the tool is offered",
            minItems: 1,
          }),
          advances_to: Type.Optional(text("Phase after a committed call")),
          reason,
        },
        "Phase restrictions; without them the tool is valid everywhere",
      ),
    ),
    preconditions: Type.Optional(Type.Array(precondition, { description: "What must have happened before" })),
    forbids_after: Type.Optional(
      Type.Array(toolName("A tool"), { description: "Tools blocked once this one was called" }),
    ),
    argument_value_invariants: Type.Optional(
      Type.Array(valueInvariant, {
        description: "Checks of argument values; they replace schema-derived ones on the same path",
      }),
    ),
    response_format_invariants: Type.Optional(
      Type.Object(
        {
          finish_reason: Type.Optional(text("Expected finish reason")),
          content_when_tool_calls: Type.Optional(
            Type.Enum(["empty", "allowed"], { description: "Whether text may accompany tool calls" }),
          ),
          tool_calls_present: Type.Optional(Type.Boolean({ description: "Whether there must be tool calls" })),
        },
        { additionalProperties: false, minProperties: 1, description: "Checks of the model's response envelope" },
      ),
    ),
    execution_constraints: Type.Optional(
      record(
        {
          arguments: Type.Array(ruleInvariant, { description: "What the arguments must satisfy before the call runs" }),
        },
        "Pre-execution argument validation",
      ),
    ),
    policy: Type.Optional(
      Type.Object(
        {
          allow: Type.Optional(Type.Array(policyEntry, { description: "Who may call the tool", minItems: 1 })),
          deny: Type.Optional(Type.Array(denyEntry, { description: "Who may not; wins over allow", minItems: 1 })),
        },
        { additionalProperties: false, minProperties: 1, description: "Authorization for this tool" },
      ),
    ),
    binds: Type.Optional(Type.Array(bind, { description: "Values captured into slots of the session" })),
    unbinds: later(Type.Array(unbind, { description: "Slots, or keys of them, that a committed call unbinds" })),
    schema_derived: Type.Optional(
      Type.Boolean({ description: "Whether the tool's JSON Schema adds argument checks (default: true)" }),
    ),
    schema_derived_exclude: Type.Optional(
      Type.Array(path("JSONPath into the arguments"), { description: "Paths without schema-derived checks" }),
    ),
    checkpoint: Type.Optional(toolCheckpoint),
    let: later(letExpressions),
    requires: later(Type.Array(requirement, { description: "What must be true for the call to be allowed" })),
    ensures: later(Type.Array(requirement, { description: "What must be true of the output" })),
  },
  "Contract of one tool",
);

export type ToolContract = Static<typeof toolContract>;
export type GoldenCase = Static<typeof goldenCase>;
export type AllowedError = Static<typeof allowedError>;
export type Bind = Static<typeof bind>;
export type BindKey = Static<typeof keyPart>;
export type Unbind = Static<typeof unbind>;
export type Requirement = Static<typeof requirement>;
export type Precondition = Static<typeof precondition>;
