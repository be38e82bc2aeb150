import type {
  Aggregate,
  AggregateOverride,
  Envelope,
  SessionContract,
  Stage,
} from "../../../src/language/schema/session.js";
import type { Condition, PrincipalCondition } from "../../../src/language/schema/shared.js";
import type { Draft } from "./draft.js";

/** A condition on who is calling. */
export function someWho({ random }: Draft): PrincipalCondition {
  return random.make<PrincipalCondition>([
    () => ({ path: "$.kind", equals: random.pick(["human", "bot"]) }),
    () => ({ path: "$.tier", gte: 2 }),
    () => ({ path: "$.tier", exists: random.chance(0.5) }),
    () => ({ path: "$.kind", not_equals: random.pick(["human", "bot"]) }),
  ]);
}

/** The principals that these conditions distinguish. */
export const PRINCIPALS = [
  { kind: "human", tier: 1 },
  { kind: "human", tier: 2 },
  { kind: "bot", tier: 1 },
  { kind: "bot", tier: 2 },
  { kind: "human" },
  { kind: "bot" },
  { tier: 1 },
  {},
];

/** What a checkpoint asks of the arguments of some tools. */
export function someConditions(draft: Draft, tools: readonly string[]): "always" | Condition[] {
  const { random } = draft;
  if (random.chance(0.3)) return "always";
  const path = tools.map((tool) => draft.path(tool, "arguments", "n"))[0] ?? "$.n";
  const some = () =>
    random.pick([
      { path, gte: draft.number() },
      { path, equals: draft.number() },
      { path, lte: draft.number() },
      { path, gt: draft.number() },
      { path, not_equals: draft.number() },
    ]);
  const other = tools.map((tool) => draft.path(tool, "arguments", "id"))[0] ?? "$.id";
  const also = random.pick([{ path: other, equals: "a" }, { path: other, regex: "b" }, some()]);
  return random.chance(0.3) ? [some(), also] : [some()];
}

function phasesOf({ random, phases }: Draft) {
  const last = phases.length - 1;
  // A chain makes every phase reachable, which the compiler demands; other edges may be missing.
  const next = phases.slice(0, -1).map((phase, at): [string, string[]] => {
    return [phase, [...new Set([...phases.slice(at + 1, at + 2), ...random.subset(phases, 0.3)])]];
  });
  return {
    phases: phases.map((name, at) => ({
      name,
      ...(at === 0 ? { initial: true } : {}),
      ...(at === last ? { terminal: true } : {}),
    })),
    transitions: Object.fromEntries(next),
  };
}

type Limits = NonNullable<SessionContract["session_limits"]>;

function someLimits(draft: Draft): Limits {
  const { random, tools } = draft;
  const few = () => random.pick([1, 2, 2, 3]);
  return {
    ...draft.maybe("limits", 0.35, () => ({ max_steps: few() })),
    ...draft.maybe("limits", 0.35, () => ({ max_tool_calls: few() })),
    ...draft.maybe("limits", 0.5, () => ({
      max_calls_per_tool: Object.fromEntries(random.some(tools, 0.4).map((tool) => [tool, few()])),
    })),
    ...draft.maybe("cost", 1, () => {
      const max = random.pick([1, 0.5]);
      draft.costs.add(max);
      return { max_cost_per_session: max };
    }),
    ...draft.maybe("loop", 1, () => {
      const threshold = random.pick([2, 2, 3]);
      return { loop_detection: { window: threshold + random.pick([0, 0, 1]), threshold } };
    }),
  };
}

type Policy = NonNullable<SessionContract["policy"]>;
type Rule = NonNullable<Policy["rules"]>[number];

function someRule(draft: Draft): Rule {
  const { random, tools } = draft;
  const some = () => ({ tools: random.some(tools, 0.4) });
  if (random.chance(0.5)) return { deny: { principal: someWho(draft), ...random.maybe(0.7, some) } };
  return { allow: { ...random.maybe(0.8, () => ({ principal: someWho(draft) })), ...random.maybe(0.7, some) } };
}

function somePolicy(draft: Draft): Policy {
  const { random, tools } = draft;
  return {
    ...draft.maybe("policy", 0.3, () => ({ default_deny: true })),
    ...draft.maybe("policy", 0.8, () => ({ rules: random.list(random.pick([1, 1, 2]), () => someRule(draft)) })),
    ...draft.maybe("labels", 1, () => ({
      label_gates: random.some(["secret", "tainted"], 0.3).map((label) => {
        draft.labels.add(label);
        return { when_label: label, deny_tools: random.some(tools, 0.4), reason: "Not with this label" };
      }),
    })),
  };
}

function someOverride(draft: Draft): AggregateOverride {
  const { random, numbers, slots } = draft;
  return {
    binding: random.pick([...slots]),
    ...random.pick([{ gte: numbers[1] }, { lte: numbers[0] }, { equals: numbers[2] }, { equals: "a" }]),
    ...random.pick([{ then_lte: numbers[2] }, { then_lte: 2 * numbers[2] }, { then_gte: numbers[1] }]),
  };
}

function someAggregate(draft: Draft, at: number): Aggregate {
  const { random, tools, numbers, slots } = draft;
  const metric = random.pick(["sum", "sum", "count", "max", "min", "count_distinct"] as const);
  const own = random.some(tools, 0.4);
  const isForAll = random.chance(0.15);
  const field = metric === "count_distinct" ? random.pick(["n", "id"] as const) : draft.someField();
  const isOfList = draft.parts.has("lists") && random.chance(0.5);
  const paths = (isForAll ? tools : own).map((tool) => {
    if (metric === "count") return "";
    return isOfList ? draft.listPath(tool, "arguments") : draft.path(tool, "arguments", field);
  });
  const isCount = metric === "count" || metric === "count_distinct";
  const upper = isCount ? random.pick([1, 2, 2]) : metric === "sum" ? random.pick([2, 4]) * numbers[0] : numbers[1];
  const lower = isCount ? random.pick([1, 2]) : draft.number();
  return {
    name: `aggregate_${at}`,
    metric,
    tool: isForAll ? "*" : own,
    ...(metric === "count" ? {} : { path: paths[0] ?? "" }),
    ...random.pick([{ lte: upper }, { lte: upper }, { gte: lower }, { gte: lower, lte: lower + upper }]),
    reason: "Out of bounds",
    ...random.maybe(slots.size > 0 ? 0.6 : 0, () => ({ when: [someOverride(draft)] })),
  };
}

const ROLES = {
  lte_ceiling: ["ceiling"],
  gte_floor: ["floor"],
  within_band: ["anchor"],
  bounded: ["floor", "ceiling"],
  monotonic_decrease: ["initial"],
  monotonic_increase: ["initial"],
} as const;

function someStage(draft: Draft, role: Stage["role"]): Stage {
  const { random, tools } = draft;
  const tool = role === "constrained" ? random.pick(tools.slice(1)) : random.pick(tools);
  const mayBeOutput = !draft.unseen.has(tool) && random.chance(role === "constrained" ? 0.2 : 0.4);
  const source = mayBeOutput ? "output" : "arguments";
  return { tool, path: draft.path(tool, source, draft.someField()), role, source };
}

function someEnvelope(draft: Draft, at: number): Envelope {
  const { random } = draft;
  const constraint = random.pick([
    "lte_ceiling",
    "gte_floor",
    "within_band",
    "bounded",
    "monotonic_decrease",
    "monotonic_increase",
  ] as const);
  const roles: readonly Stage["role"][] = [...ROLES[constraint], "constrained"];
  return {
    name: `envelope_${at}`,
    stages: [...roles, ...random.subset(roles, 0.15)].map((role) => someStage(draft, role)),
    constraint,
    ...(constraint === "within_band" ? { band: random.pick([0.1, 0.5, 1]) } : {}),
    reason: "Outside the envelope",
  };
}

/** session.yaml. */
export function someSession(draft: Draft): SessionContract {
  const { random, tools } = draft;
  const policy = somePolicy(draft);
  const limits = someLimits(draft);
  return {
    schema_version: "1.1",
    agent: "agreement",
    ...draft.maybe("phases", 1, () => phasesOf(draft)),
    ...(Object.keys(limits).length === 0 ? {} : { session_limits: limits }),
    ...draft.maybe("risk", 1, () => ({
      risk_defaults: { [random.pick(["read", "write", "financial"] as const)]: "block" as const },
    })),
    ...(Object.keys(policy).length === 0 ? {} : { policy }),
    ...draft.maybe("aggregates", 1, () => ({
      aggregates: random.list(random.pick([1, 1, 2]), (at) => someAggregate(draft, at)),
    })),
    ...draft.maybe("envelopes", 1, () => ({
      envelopes: random.list(random.pick([1, 1, 1, 2]), (at) => someEnvelope(draft, at)),
    })),
    ...draft.maybe("checkpoints", 0.4, () => ({
      checkpoints: [{ name: "review", tool: "*", when: someConditions(draft, tools), timeout_seconds: 60 }],
    })),
  };
}
