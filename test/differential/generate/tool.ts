import type { Json, JsonObject } from "../../../src/base/json.js";
import type { ValueInvariant } from "../../../src/language/schema/shared.js";
import type { Bind, Precondition, ToolContract } from "../../../src/language/schema/tool.js";
import type { ToolDefinition } from "../reference/model.js";
import { type Plan, part } from "./features.js";
import { someCheckpoint } from "./session.js";
import { someCondition, someInvariant } from "./values.js";

const SLOTS = ["x", "y"];

/** What a tool is, before any rule about it. */
export type Nature = Pick<ToolContract, "side_effect" | "evidence_class" | "commit_requirement">;

/** Side effect and evidence; `ack_only` is for reads and writes only. */
export function someNature({ random, features }: Pick<Plan, "random" | "features">): Nature {
  const side_effect = random.pick(["read", "write", "write", "destructive", "admin", "financial"] as const);
  const isDispatched = features.has("dispatch") && random.chance(0.5);
  const acknowledges = (side_effect === "read" || side_effect === "write") && random.chance(0.3);
  return {
    side_effect,
    evidence_class:
      isDispatched && random.chance(0.3) ? "unverifiable" : acknowledges ? "ack_only" : "local_transaction",
    commit_requirement: isDispatched && random.chance(0.8) ? "none" : "acknowledged",
  };
}

function someBinds(plan: Plan, tool: string): { binds: Bind[] } {
  const { random } = plan;
  const binds = random.some(SLOTS, 0.4).map((name): Bind => {
    plan.slots.add(name);
    const source = plan.observable.has(tool) && random.chance(0.5) ? ("output" as const) : ("arguments" as const);
    const path = random.pick(["$.n", "$.n", "$.n", "$.s", "$.m", "$.obj.n", "$.list[-1]"]);
    return { name, path, ...(source === "arguments" && random.chance(0.5) ? {} : { source }) };
  });
  return { binds };
}

function somePrecondition(plan: Plan, tool: string): Precondition {
  const { random, tools, observable } = plan;
  const steps = { requires_step_count: { gte: random.pick([0, 1, 1, 2]) } };
  // Mostly a tool that stands before this one, so that not every tool waits for another.
  const before = tools.slice(0, tools.indexOf(tool));
  const isAny = random.chance(0.08);
  if (random.chance(0.15) || (before.length === 0 && !isAny)) return steps;
  const prior = random.pick(isAny ? tools : before);
  return {
    requires_prior_tool: prior,
    ...random.maybe(observable.has(prior) ? 0.7 : 0, () => ({
      with_output: [
        { path: random.pick(["$.ok", "$.ok", "$.ok", "$..ok"]), equals: true },
        ...random.list(random.pick([0, 0, 1]), () => someInvariant(random)),
      ],
    })),
    ...random.maybe(0.3, () => ({
      resource: { bind_from: "arguments" as const, path: random.pick(["$.id", "$.id", "$.n", "$.obj"]) },
    })),
    ...random.maybe(0.2, () => steps),
  };
}

function someValueInvariant({ random }: Plan): ValueInvariant {
  return random.make<ValueInvariant>([
    () => ({ path: "$.s", exact_match: "a" }),
    () => ({ path: "$.s", type: "string" }),
    () => ({ path: random.pick(["$.s", "$['s']"]), regex: "^[ab]+$" }),
    () => ({ path: random.pick(["$.flag", "$.obj", "$.list"]), type: random.pick(["boolean", "object", "array"]) }),
    () => ({ path: "$.n", one_of: [0, 1, 2] }),
    () => ({ path: "$.n", gte: 0 }),
    () => ({ path: random.pick(["$.n", "$.obj.n", "$.list[*]"]), lte: random.pick([2, 5]) }),
    () => ({ path: "$.n", type: random.pick(["integer", "number"]), gte: -1, lte: 5 }),
  ]);
}

function someRef({ random, slots }: Plan): ValueInvariant {
  return {
    path: random.pick(["$.n", "$.n", "$.n", "$.n", "$.m", "$.s", "$.list[*]", "$..n"]),
    ref: random.pick([...slots]),
    ...random.maybe(0.4, () => ({ tolerance: random.pick([0, 0.1, 0.5, 1]) })),
    ...random.maybe(0.1, () => ({ type: "number" as const })),
  };
}

function someValueInvariants(plan: Plan, tool: string): ValueInvariant[] {
  const { random, features, slots, tools } = plan;
  const plain = features.has("values") && random.chance(0.7) ? [someValueInvariant(plan)] : [];
  const refs =
    features.has("refs") && slots.size > 0 && random.chance(tool === tools[0] ? 0.2 : 0.7) ? [someRef(plan)] : [];
  return random.chance(0.5) ? [...plain, ...refs] : [...refs, ...plain];
}

function someAllowedErrors({ random }: Plan): ToolContract["allowed_errors"] {
  const outcome = () => random.maybe(0.6, () => ({ outcome: random.pick(["not_executed", "unknown"] as const) }));
  return random.subset<ToolContract["allowed_errors"][number]>(
    [
      "404",
      "5xx",
      "busy",
      { status: 503, ...outcome() },
      { status: "4xx", code: "gone", ...outcome(), reason: "It went away" },
      { message_regex: "^temporary", ...outcome() },
      { code: "busy", message_regex: "failure$", ...outcome() },
    ],
    0.4,
  );
}

/** Fields that the guard reads and that no call is refused for, or that it does not read at all. */
function silentFields({ random }: Plan) {
  return {
    ...random.maybe(0.5, () => ({
      response_format_invariants: {
        finish_reason: "tool_calls",
        content_when_tool_calls: random.pick(["empty", "allowed"] as const),
        tool_calls_present: true,
      },
    })),
    golden_cases: random.chance(0.5)
      ? [{ id: "usual", arguments: { n: 1 }, given: { labels: ["x"], history: [] }, expect_ok: true }]
      : [],
    retries: { max_attempts: 2, retry_on: ["429", "timeout", "busy"] },
  };
}

function rulesOf(plan: Plan, tool: string) {
  const { random, features, tools, phases } = plan;
  const invariants = () => random.list(random.pick([1, 1, 2]), () => someInvariant(random));
  const values = someValueInvariants(plan, tool);
  return {
    ...part(plan, "gate", 0.6, () => ({ gate: random.pick(["allow", "block"] as const) })),
    ...part(plan, "phases", 0.8, () => ({
      transitions: {
        valid_in_phases: random.some(phases, 0.6),
        ...random.maybe(0.6, () => ({ advances_to: random.pick(phases) })),
      },
    })),
    ...part(plan, "preconditions", tool === tools[0] ? 0.2 : 0.8, () => ({
      preconditions: random.list(random.pick([1, 1, 2]), () => somePrecondition(plan, tool)),
    })),
    ...part(plan, "forbids", 0.6, () => ({ forbids_after: random.some(tools, 0.3) })),
    ...(values.length === 0 ? {} : { argument_value_invariants: values }),
    ...part(plan, "execution", 0.6, () => ({ execution_constraints: { arguments: invariants() } })),
    ...part(plan, "policy", 0.4, () => ({ policy: somePolicy(plan) })),
    ...part(plan, "schema", 0.15, () => ({ schema_derived: random.chance(0.5) })),
    ...part(plan, "schema", 0.3, () => ({
      schema_derived_exclude: random.some(["$.n", "$['s']", "$.list[*]", "$.obj.n"], 0.3),
    })),
    ...part(plan, "checkpoints", 0.4, () => ({ checkpoint: someCheckpoint(plan) })),
    ...part(plan, "silent", 1, () => silentFields(plan)),
    assertions: {
      input_invariants: features.has("input") && random.chance(0.6) ? invariants() : [],
      output_invariants: features.has("output") && random.chance(0.6) ? [someOutputInvariant(plan)] : [],
    },
    tool,
  };
}

function someOutputInvariant({ random }: Plan) {
  return random.chance(0.5) ? { path: "$.ok", equals: true } : someInvariant(random);
}

function somePolicy({ random }: Plan): NonNullable<ToolContract["policy"]> {
  const allow = { allow: [{ ...random.maybe(0.8, () => ({ principal: someCondition(random) })) }] };
  const both = { principal: [someCondition(random), someCondition(random)] };
  const deny = { deny: [random.chance(0.5) ? both : { principal: someCondition(random) }] };
  return random.pick([allow, deny, { ...allow, ...deny }]);
}

/** The binds of all tools first, because rules of any tool may refer to the slots. */
export function someBindings(plan: Plan): ReadonlyMap<string, { binds?: Bind[] }> {
  const { random, features } = plan;
  const binds = (tool: string): boolean => features.has("refs") && random.chance(tool === plan.tools[0] ? 0.9 : 0.35);
  return new Map(plan.tools.map((tool) => [tool, binds(tool) ? someBinds(plan, tool) : {}]));
}

/** A contract with the required fields and some of the others. */
export function someTool(plan: Plan, tool: string, given: Nature & { binds?: Bind[] }): ToolContract {
  return {
    timeouts: { total_ms: 1000 },
    retries: { max_attempts: 1, retry_on: [] },
    rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } },
    golden_cases: [],
    allowed_errors: plan.features.has("errors") ? someAllowedErrors(plan) : [],
    ...given,
    ...rulesOf(plan, tool),
  };
}

function numberSchema({ random }: Plan): JsonObject {
  const type = random.pick<JsonObject>([
    { type: "number" },
    { type: "integer" },
    { type: ["number", "null"] },
    { type: ["number", "string"] },
    {},
  ]);
  return {
    ...type,
    ...random.make<JsonObject>([
      () => ({}),
      () => ({ minimum: 0, maximum: random.pick([2, 5]) }),
      () => ({ exclusiveMinimum: random.pick([-1, 0]), exclusiveMaximum: 10 }),
      () => ({ multipleOf: random.pick([0.1, 0.5, 1]) }),
      () => ({ enum: [0, 1, 2, 3, 0.1] }),
      () => ({ const: 1 }),
    ]),
  };
}

function stringSchema({ random }: Plan): JsonObject {
  return {
    type: random.pick<Json>(["string", ["string", "null"]]),
    ...random.make<JsonObject>([
      () => ({}),
      () => ({ pattern: random.pick(["^[ab]*$", "b"]) }),
      () => ({ minLength: random.pick([0, 1]), maxLength: random.pick([1, 2]) }),
      () => ({ enum: ["a", "b", "ab"] }),
    ]),
  };
}

/** An input schema over the fields of generated arguments. */
export function someDefinition(plan: Plan, name: string): ToolDefinition {
  const { random } = plan;
  const properties: JsonObject = {
    ...random.maybe(0.8, () => ({ n: numberSchema(plan) })),
    ...random.maybe(0.8, () => ({ s: stringSchema(plan) })),
    ...random.maybe(0.4, () => ({ flag: { type: "boolean", ...random.maybe(0.3, () => ({ const: true })) } })),
    ...random.maybe(0.4, () => ({ list: { type: "array", items: numberSchema(plan) } })),
    ...random.maybe(0.4, () => ({
      obj: { type: "object", properties: { n: numberSchema(plan) }, ...random.maybe(0.3, () => ({ required: ["n"] })) },
    })),
    ...random.maybe(0.2, () => ({ m: { anyOf: [{ type: "number", maximum: 5 }, { type: "null" }] } })),
  };
  const closed = {
    ...Object.fromEntries(["n", "m", "s", "id", "flag", "ok", "list", "obj"].map((key) => [key, true])),
  };
  const isClosed = random.chance(0.3);
  return {
    name,
    input_schema: {
      type: "object",
      properties: isClosed ? { ...closed, ...properties } : properties,
      ...random.maybe(0.5, () => ({ required: random.some(["n", "s", "id"], 0.4) })),
      ...(isClosed ? { additionalProperties: false } : {}),
    },
  };
}
