import type { Invariant, ValueInvariant } from "../../../src/language/schema/shared.js";
import type { Bind, Precondition, ToolContract } from "../../../src/language/schema/tool.js";
import type { ToolDefinition } from "../../differential/reference/model.js";
import type { Draft, Side } from "./draft.js";
import { someConditions, someWho } from "./session-rules.js";

type Entry = Omit<Invariant, "path"> & { path: string };

/** What a tool is, before any rule about it. */
export type Nature = Pick<ToolContract, "side_effect" | "evidence_class" | "commit_requirement">;

export function someNature(draft: Draft, tool: string): Nature {
  const { random } = draft;
  const isDispatched = draft.parts.has("dispatch") && random.chance(0.5);
  const isUnseen = isDispatched && random.chance(0.3);
  if (isUnseen) draft.unseen.add(tool);
  return {
    side_effect: random.pick(["read", "write", "financial"] as const),
    evidence_class: isUnseen ? "unverifiable" : "local_transaction",
    commit_requirement: isDispatched ? "none" : "acknowledged",
  };
}

function someEntry(draft: Draft, tool: string, side: Side): Entry {
  const { random, numbers } = draft;
  const n = () => draft.path(tool, side, "n");
  const id = () => draft.path(tool, side, "id");
  const items = () => draft.listPath(tool, side);
  const lists = [
    () => ({ path: items(), gte: numbers[1] }),
    () => ({ path: items(), lte: numbers[1] }),
    () => ({ path: items(), exists: random.chance(0.7) }),
    () => ({ path: items(), lte: draft.number(), type: "number" as const }),
  ];
  const texts = [0, 1, 2].map(() => () => ({ path: id(), equals_env: random.pick(["WHO", "WHERE"]) }));
  return random.make<Entry>([
    () => ({ path: n(), gte: numbers[1] }),
    () => ({ path: n(), lte: draft.number() }),
    () => ({ path: n(), one_of: [numbers[0], numbers[2]] }),
    () => ({ path: n(), equals: draft.number() }),
    () => ({ path: n(), not_one_of: [numbers[0], numbers[2]] }),
    () => ({ path: n(), not_equals: draft.number() }),
    () => ({ path: n(), gt: numbers[0] }),
    () => ({ path: n(), lt: numbers[2] }),
    () => ({ path: n(), exists: random.chance(0.7) }),
    () => ({ path: n(), type: "number" }),
    () => ({ path: id(), equals: random.pick(["a", "b"]) }),
    () => ({ path: id(), regex: random.pick(["^[ab]$", "a"]) }),
    () => ({ path: id(), type: "string", length_gte: 1 }),
    () => ({ path: id(), contains: "b" }),
    ...(draft.parts.has("lists") ? lists : []),
    ...(draft.parts.has("env") ? texts : []),
  ]);
}

function someOutputEntry(draft: Draft, tool: string): Entry {
  if (draft.random.chance(0.3)) return someEntry(draft, tool, "output");
  return { path: draft.path(tool, "output", "ok"), equals: draft.random.chance(0.8) };
}

function someValueInvariant(draft: Draft, tool: string): ValueInvariant {
  const { random, numbers } = draft;
  return random.make<ValueInvariant>([
    () => ({ path: draft.path(tool, "arguments", "n"), gte: numbers[0], lte: draft.number() }),
    () => ({ path: draft.path(tool, "arguments", "n"), one_of: [numbers[1], numbers[2]] }),
    () => ({ path: draft.path(tool, "arguments", "id"), exact_match: random.pick(["a", "b"]) }),
    () => ({ path: draft.path(tool, "arguments", "id"), type: "string" }),
  ]);
}

function someBind(draft: Draft, tool: string, name: string): Bind {
  const isSeen = !draft.unseen.has(tool);
  const source = isSeen && draft.random.chance(0.5) ? "output" : "arguments";
  draft.slots.add(name);
  return { name, path: draft.path(tool, source, draft.someField()), source };
}

/** The binds of a tool; mostly early tools bind what later ones read. */
export function someBinds(draft: Draft, tool: string): { readonly binds?: Bind[] } {
  const { random, tools } = draft;
  if (!draft.parts.has("refs") || !random.chance(tool === tools[0] ? 0.9 : 0.3)) return {};
  return { binds: random.some(["x", "y"], 0.3).map((name) => someBind(draft, tool, name)) };
}

function someRef(draft: Draft, tool: string): ValueInvariant {
  const { random, slots } = draft;
  return {
    path: draft.path(tool, "arguments", draft.someField()),
    ref: random.pick([...slots]),
    ...random.maybe(0.4, () => ({ tolerance: random.pick([0, 0.1, 0.5, 1]) })),
  };
}

function somePrecondition(draft: Draft, tool: string): Precondition {
  const { random, tools } = draft;
  const steps = { requires_step_count: { gte: random.pick([1, 1, 2]) } };
  const before = tools.slice(0, tools.indexOf(tool));
  if (before.length === 0 || random.chance(0.2)) return steps;
  const prior = random.pick(before);
  return {
    requires_prior_tool: prior,
    ...random.maybe(draft.unseen.has(prior) ? 0 : 0.5, () => ({ with_output: [someOutputEntry(draft, prior)] })),
    ...random.maybe(0.4, () => {
      draft.path(prior, "arguments", "id");
      return { resource: { bind_from: "arguments" as const, path: draft.path(tool, "arguments", "id") } };
    }),
    ...random.maybe(0.2, () => steps),
  };
}

function somePolicy(draft: Draft): NonNullable<ToolContract["policy"]> {
  const { random } = draft;
  const allow = { allow: [{ principal: someWho(draft) }] };
  const deny = { deny: [{ principal: someWho(draft) }] };
  return random.pick([allow, deny, { ...allow, ...deny }]);
}

function orderOf(draft: Draft, tool: string) {
  const { random, tools, phases } = draft;
  return {
    ...draft.maybe("phases", 0.85, () => ({
      transitions: {
        valid_in_phases: random.some(phases, 0.5),
        ...random.maybe(0.6, () => ({ advances_to: random.pick(phases) })),
      },
    })),
    ...draft.maybe("forbids", 0.5, () => ({ forbids_after: random.some(tools, 0.3) })),
    ...draft.maybe("preconditions", tool === tools[0] ? 0.2 : 0.8, () => ({
      preconditions: random.list(random.pick([1, 1, 1, 2]), () => somePrecondition(draft, tool)),
    })),
  };
}

function valuesOf(draft: Draft, tool: string) {
  const { random, parts } = draft;
  const plain = parts.has("input") && random.chance(0.4) ? [someValueInvariant(draft, tool)] : [];
  const hasRef = draft.slots.size > 0 && random.chance(tool === draft.tools[0] ? 0.2 : 0.7);
  const values = [...plain, ...(hasRef ? [someRef(draft, tool)] : [])];
  return {
    ...(values.length === 0 ? {} : { argument_value_invariants: values }),
    ...draft.maybe("input", 0.3, () => ({
      execution_constraints: { arguments: [someEntry(draft, tool, "arguments")] },
    })),
    assertions: {
      input_invariants: parts.has("input") && random.chance(0.5) ? [someEntry(draft, tool, "arguments")] : [],
      output_invariants:
        parts.has("output") && !draft.unseen.has(tool) && random.chance(0.6) ? [someOutputEntry(draft, tool)] : [],
    },
  };
}

/** A contract with the required fields and some rules. */
export function someTool(draft: Draft, tool: string, given: Nature & { readonly binds?: Bind[] }): ToolContract {
  const { random } = draft;
  return {
    tool,
    timeouts: { total_ms: 1000 },
    retries: { max_attempts: 1, retry_on: [] },
    rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } },
    golden_cases: [],
    allowed_errors: [],
    ...given,
    ...draft.maybe("gate", 0.4, () => ({ gate: random.pick(["allow", "block", "block"] as const) })),
    ...draft.maybe("policy", 0.4, () => ({ policy: somePolicy(draft) })),
    ...orderOf(draft, tool),
    ...valuesOf(draft, tool),
    ...draft.maybe("checkpoints", 0.5, () => ({
      checkpoint: { when: someConditions(draft, [tool]), timeout_seconds: 60 },
    })),
  };
}

/** An input schema over the fields of a tool. */
export function someDefinition(draft: Draft, tool: string): ToolDefinition {
  const { random, numbers } = draft;
  draft.path(tool, "arguments", "n");
  draft.addOdd(tool, random.pick([{ more: 1 }, { n: "a" }]));
  const n = random.pick([
    { minimum: numbers[1] },
    { maximum: numbers[1] },
    { enum: [...numbers] },
    { multipleOf: numbers[1] },
  ]);
  const fields = {
    type: "object",
    properties: {
      n: { type: "number", ...n },
      id: { type: "string", ...random.maybe(0.3, () => ({ enum: ["a"] })) },
      ...(draft.parts.has("lists") ? { items: { type: "array" } } : {}),
    },
    ...random.maybe(0.5, () => ({ required: ["n"] })),
    ...random.maybe(0.4, () => ({ additionalProperties: false })),
  };
  const nested = { type: "object", properties: { box: fields }, ...random.maybe(0.5, () => ({ required: ["box"] })) };
  return { name: tool, input_schema: draft.parts.has("nested") ? nested : fields };
}
