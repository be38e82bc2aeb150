import type {
  Aggregate,
  AggregateOverride,
  Envelope,
  SessionContract,
  Stage,
} from "../../../src/language/schema/session.js";
import type { Checkpoint, Condition } from "../../../src/language/schema/shared.js";
import { type Plan, part } from "./features.js";
import { someCondition } from "./values.js";

const LABELS = ["secret", "tainted"];

function someApprovalCondition({ random }: Plan): Condition {
  return random.make<Condition>([
    () => ({ path: "$.n", gte: random.pick([1, 2]) }),
    () => ({ path: "$.n", gte: 0, lte: 2 }),
    () => ({ path: random.pick(["$.s", "$.x"]), equals: "b" }),
    () => ({ path: "$.s", one_of: ["b", "ab"] }),
    () => ({ path: random.pick(["$.list[*]", "$.list[0:2]", "$.list[::-1]", "$.list[1,0]"]), gte: 2 }),
    () => ({ path: random.pick(["$..n", "$.obj.*", "$['n','m']", "$..obj..n"]), gte: random.pick([2, 5]) }),
    () => ({ path: random.pick(["$..n", "$.list[*]"]), gte: 2, lte: 3 }),
    () => ({ path: random.pick(["$..k", "$.list[*]", "$.*"]), equals: "b" }),
    () => ({ path: random.pick(["$..n", "$.list[*]"]), one_of: [2, 5] }),
  ]);
}

const SIDE_EFFECTS = ["read", "write", "destructive", "admin", "financial"] as const;

/** A checkpoint, of a tool or of the session. */
export function someCheckpoint(plan: Plan): Checkpoint {
  const { random } = plan;
  return {
    when: random.chance(0.4) ? "always" : random.list(random.pick([1, 2]), () => someApprovalCondition(plan)),
    ...random.maybe(0.3, () => ({ when_side_effect: random.pick(SIDE_EFFECTS) })),
    ...random.maybe(0.5, () => ({ match: random.pick(["any", "all"] as const) })),
    timeout_seconds: random.pick([30, 60, 90]),
    ...random.maybe(0.7, () => ({ on_timeout: random.pick(["deny", "allow", "allow"] as const) })),
    ...random.maybe(0.2, () => ({
      context: [
        { path: "$.n", label: "Amount" },
        { path: "$.obj", label: "Object" },
      ],
    })),
  };
}

function someTransitions({ random, phases }: Plan): Record<string, string[]> {
  // A chain makes every phase reachable, which the compiler demands.
  return Object.fromEntries(
    phases.slice(0, -1).map((phase, index) => {
      const next = phases[index + 1] ?? phase;
      return [phase, [...new Set([next, ...random.subset(phases, 0.3)])]];
    }),
  );
}

function phasesOf(plan: Plan) {
  const last = plan.phases.length - 1;
  return {
    phases: plan.phases.map((name, index) => ({
      name,
      ...(index === 0 ? { initial: true } : {}),
      ...(index === last ? { terminal: true } : {}),
    })),
    transitions: someTransitions(plan),
  };
}

type Limits = NonNullable<SessionContract["session_limits"]>;

function someLimits(plan: Plan): Limits {
  const { random, tools } = plan;
  return {
    ...part(plan, "limits", 0.3, () => ({ max_steps: random.pick([0, 1, 2, 3, 5, 8]) })),
    ...part(plan, "limits", 0.3, () => ({
      max_tool_calls: random.pick([0, 1, 2, 3, 5, 8]),
      ...random.maybe(0.6, () => ({ max_tool_calls_mode: random.pick(["block", "narrow"] as const) })),
    })),
    ...part(plan, "limits", 0.4, () => ({
      max_calls_per_tool: Object.fromEntries(random.some(tools, 0.4).map((tool) => [tool, random.pick([0, 1, 2, 3])])),
    })),
    ...part(plan, "limits", 0.3, () => ({ max_cost_per_session: random.pick([0.3, 1, 0]) })),
    ...part(plan, "loop", 1, () => ({
      loop_detection: { window: random.pick([1, 2, 3, 4, 6]), threshold: random.pick([2, 2, 3, 3, 1]) },
    })),
    ...part(plan, "breaker", 1, () => ({
      circuit_breaker: random.pick([
        { consecutive_blocks: random.pick([1, 2, 3]) },
        { consecutive_errors: random.pick([1, 2, 3]) },
        { consecutive_blocks: 3, consecutive_errors: 2 },
      ]),
    })),
  };
}

type Policy = NonNullable<SessionContract["policy"]>;
type Rule = NonNullable<Policy["rules"]>[number];

function someRule({ random, tools }: Plan): Rule {
  const principal = () => ({
    principal: random.chance(0.7) ? someCondition(random) : [someCondition(random), someCondition(random)],
  });
  const some = () => ({ tools: random.some(tools, 0.5) });
  const allow = { ...random.maybe(0.8, principal), ...random.maybe(0.6, some) };
  const deny = random.pick([principal(), { ...principal(), ...some() }, { tools: [random.pick(tools)] }]);
  return random.chance(0.6) ? { allow } : { deny };
}

function somePolicy(plan: Plan): Policy {
  const { random, tools } = plan;
  return {
    ...part(plan, "policy", 0.4, () => ({ default_deny: random.chance(0.6) })),
    ...part(plan, "policy", 0.8, () => ({ rules: random.list(random.pick([1, 1, 2]), () => someRule(plan)) })),
    ...part(plan, "labels", 1, () => ({
      label_gates: random.some(LABELS, 0.5).map((when_label) => ({
        when_label,
        deny_tools: random.some(tools, 0.5),
        reason: "Not with this label",
      })),
    })),
  };
}

function someOverride({ random, slots }: Plan): AggregateOverride {
  return {
    binding: random.pick([...slots]),
    ...random.pick([{ gte: 1 }, { lte: 2 }, { gte: 1, lte: 5 }, { equals: 1 }, { equals: "a" }]),
    ...random.pick([{ then_lte: 20 }, { then_lte: 1 }, { then_gte: 1, then_lte: 5 }, { then_gte: -10 }]),
  };
}

const AGGREGATE_PATHS = [
  "$.n",
  "$.n",
  "$.n",
  "$.m",
  "$.list[*]",
  "$.list[0:2]",
  "$.list[::-2]",
  "$..n",
  "$..obj..n",
  "$..obj..obj..n",
  "$['n','m']",
  "$.list[0,0]",
  "$.s",
];

function someAggregate(plan: Plan, index: number): Aggregate {
  const { random, tools, slots } = plan;
  const metric = random.pick(["sum", "sum", "count", "max", "min", "count_distinct"] as const);
  const path = random.pick(AGGREGATE_PATHS);
  const upper = random.pick(metric === "count" || metric === "count_distinct" ? [1, 2, 3] : [0.3, 0.6, 3, 5, 10]);
  const lower = random.pick([-1, 0, 0.1, 1, 2]);
  return {
    name: `aggregate_${index}`,
    metric,
    tool: random.pick<Aggregate["tool"]>(["*", random.pick(tools), random.some(tools, 0.5)]),
    ...(metric === "count" && random.chance(0.8) ? {} : { path }),
    ...random.pick([{ lte: upper }, { lte: upper }, { gte: lower }, { gte: lower, lte: upper + lower }]),
    reason: "Out of bounds",
    ...random.maybe(slots.size > 0 ? 0.6 : 0, () => ({
      when: random.list(random.pick([1, 2]), () => someOverride(plan)),
    })),
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

function someStage({ random, tools, observable }: Plan, role: Stage["role"]): Stage {
  // References mostly come from the first tool, so that they are often set.
  const tool = role !== "constrained" && random.chance(0.6) ? (tools[0] ?? "") : random.pick(tools);
  const source = observable.has(tool) && random.chance(role === "constrained" ? 0.15 : 0.4) ? "output" : "arguments";
  const path = random.pick(["$.n", "$.n", "$.m", "$.obj.n", "$.list[-1]", "$.s"]);
  return { tool, path, role, ...(source === "arguments" && random.chance(0.5) ? {} : { source }) };
}

function someEnvelope(plan: Plan, index: number): Envelope {
  const { random } = plan;
  const constraint = random.pick([
    "lte_ceiling",
    "gte_floor",
    "within_band",
    "bounded",
    "monotonic_decrease",
    "monotonic_increase",
  ] as const);
  const roles: readonly Stage["role"][] = [...ROLES[constraint], "constrained"];
  const more = random.chance(0.3) ? [random.pick(roles)] : [];
  return {
    name: `envelope_${index}`,
    stages: [...roles, ...more].map((role) => someStage(plan, role)),
    constraint,
    ...(constraint === "within_band" ? { band: random.pick([0.1, 0.5, 1]) } : {}),
    reason: "Outside the envelope",
  };
}

/** Fields of session.yaml that no call is refused for. */
function silentFields({ tools }: Plan) {
  const provider = {
    block_incompatible: ["tool_choice.type=any + thinking"],
    warn_incompatible: ["stream=true + store"],
    warn_floating_alias: true,
  };
  const suppressed = tools.map((tool) => ({ check: "dead_tool", tool, reason: "Kept for later" }));
  return {
    provider_constraints: { openai: provider, anthropic: provider },
    resources: { order: { type: "order", extract_from: { path: "$.id" } } },
    graph_analysis: { suppress: suppressed },
  };
}

const SESSION_FEATURES = ["phases", "risk", "limits", "loop", "breaker", "policy", "labels", "aggregates"] as const;

/** session.yaml; sometimes none, where the pack needs none. */
export function someSession(plan: Plan): SessionContract | null {
  const { random, features, tools } = plan;
  const needed = [...SESSION_FEATURES, "envelopes" as const].some((feature) => features.has(feature));
  if (!needed && random.chance(0.3)) return null;
  const policy = somePolicy(plan);
  return {
    schema_version: "1.0",
    agent: "differential",
    ...part(plan, "phases", 1, () => phasesOf(plan)),
    session_limits: someLimits(plan),
    ...part(plan, "risk", 1, () => ({
      risk_defaults: Object.fromEntries(
        random.some(SIDE_EFFECTS, 0.5).map((effect) => [effect, random.pick(["allow", "block"] as const)]),
      ),
    })),
    ...(Object.keys(policy).length === 0 ? {} : { policy }),
    ...part(plan, "aggregates", 1, () => ({
      aggregates: random.list(random.pick([1, 1, 2]), (index) => someAggregate(plan, index)),
    })),
    ...part(plan, "envelopes", 1, () => ({
      envelopes: random.list(random.pick([1, 1, 2]), (index) => someEnvelope(plan, index)),
    })),
    ...part(plan, "checkpoints", 0.6, () => ({
      checkpoints: random.list(random.pick([1, 2]), (index) => ({
        ...someCheckpoint(plan),
        name: `checkpoint_${index}`,
        tool: random.pick(["*", ...tools]),
      })),
    })),
    ...part(plan, "schema", 0.3, () => ({ schema_derived: random.chance(0.5) })),
    ...part(plan, "silent", 1, () => silentFields(plan)),
  };
}
