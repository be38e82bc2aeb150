import type { Aggregate, SessionContract } from "../../src/language/schema/session.js";
import type { Precondition, ToolContract } from "../../src/language/schema/tool.js";
import type { Guard } from "../differential/adapter.js";
import type { Random } from "../differential/generate/random.js";
import type { Outcome, Pack } from "../differential/reference/model.js";

const TOOLS = ["ann", "bob", "cid", "dan"];
const PHASES = ["one", "two", "three"];
const NUMBERS = [-1, 0, 1, 1.5, 2, 0.1, 0.2, 3];
/** Enough to get to the end of the longest way with calls to spare. */
const OPERATIONS = 16;

type Invariants = ToolContract["assertions"]["input_invariants"];

/** What the calls of a tool may add to sums, and how many different values. */
function someInvariants(random: Random): Invariants {
  return random.pick<Invariants>([
    [],
    [{ path: "$.n", gte: 0 }],
    [{ path: "$.n", gte: 1, lte: 2 }],
    [{ path: "$.n", gte: 0.1, lte: 0.2 }],
    [{ path: "$.n", one_of: [1, 3, "x"] }],
    [{ path: "$.n", equals: 2 }],
    [{ path: "$.n", type: "integer", gte: -1, lte: 1 }],
    [{ path: "$.n", lte: 0 }],
    [{ path: "$['n']", gte: 2 }],
  ]);
}

/** Priors mostly come from the tools before, so that chains are long and cycles rare. */
function somePreconditions(random: Random, before: readonly string[]): { preconditions?: Precondition[] } {
  const priors = random.subset(before, 0.35).map((prior) => ({ requires_prior_tool: prior }));
  const steps = random.chance(0.12) ? [{ requires_step_count: { gte: random.pick([1, 2, 3]) } }] : [];
  return priors.length + steps.length === 0 ? {} : { preconditions: [...priors, ...steps] };
}

/** Mostly one phase further, so that ways lead to the end. */
function someTransitions(random: Random): NonNullable<ToolContract["transitions"]> {
  const [from, to] = random.pick([PHASES.slice(0, 2), PHASES.slice(1)]);
  if (random.chance(0.7)) return { valid_in_phases: [from ?? ""], advances_to: to ?? "" };
  return {
    valid_in_phases: random.some(PHASES, 0.3),
    ...random.maybe(0.6, () => ({ advances_to: random.pick(PHASES) })),
  };
}

function someContract(random: Random, tool: string, hasPhases: boolean): ToolContract {
  const before = TOOLS.slice(0, TOOLS.indexOf(tool));
  return {
    tool,
    side_effect: "write",
    evidence_class: "local_transaction",
    commit_requirement: random.chance(0.2) ? "none" : "acknowledged",
    timeouts: { total_ms: 1000 },
    retries: { max_attempts: 1, retry_on: [] },
    rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } },
    golden_cases: [],
    allowed_errors: [],
    assertions: {
      input_invariants: someInvariants(random),
      output_invariants: random.chance(0.15) ? [{ path: "$.ok", equals: true }] : [],
    },
    ...random.maybe(hasPhases ? 0.8 : 0, () => ({ transitions: someTransitions(random) })),
    ...somePreconditions(random, before),
    ...random.maybe(0.15, () => ({ forbids_after: [random.pick([tool, random.pick(TOOLS)])] })),
    ...random.maybe(0.06, () => ({ gate: "block" as const })),
    ...random.maybe(tool === "ann" ? 0.5 : 0.1, () => ({ binds: [{ name: "slot", path: "$.n" }] })),
  };
}

function someAggregate(random: Random, tools: readonly string[], index: number): Aggregate {
  const metric = random.pick([
    "count",
    "count",
    "sum",
    "sum",
    "count_distinct",
    "count_distinct",
    "max",
    "min",
  ] as const);
  const isCount = metric === "count" || metric === "count_distinct";
  const upper = random.pick(isCount ? [0, 1, 1, 2, 2, 3, 4] : [0, 0.2, 0.3, 1, 2, 3, 4, 6]);
  const lower = random.pick([-2, 0, 1, 2, 3]);
  return {
    name: `aggregate_${index}`,
    metric,
    tool: random.pick<Aggregate["tool"]>(["*", random.pick(tools), random.some(tools, 0.6), [...tools]]),
    ...(metric === "count" ? {} : { path: random.pick(["$.n", "$.n", "$['n']", "$..n"]) }),
    ...random.pick([{ lte: upper }, { lte: upper }, { lte: upper }, { gte: lower }]),
    reason: "Out of bounds",
  };
}

function someLimits(random: Random, tools: readonly string[]): NonNullable<SessionContract["session_limits"]> {
  return {
    ...random.maybe(0.5, () => ({ max_tool_calls: random.pick([1, 2, 2, 3, 3, 4]) })),
    ...random.maybe(0.4, () => ({ max_steps: random.pick([1, 1, 2, 3]) })),
    ...random.maybe(0.4, () => ({
      max_calls_per_tool: Object.fromEntries(random.some(tools, 0.5).map((tool) => [tool, random.pick([1, 1, 2, 3])])),
    })),
  };
}

const OVERRIDES: NonNullable<Aggregate["when"]> = [
  { binding: "slot", equals: 1, then_lte: 3 },
  { binding: "slot", gte: 1, then_lte: 0 },
];

/** A small pack in which limits, aggregates and the order of calls meet. */
export function someLimitedPack(random: Random): Pack {
  const names = TOOLS.slice(0, random.pick([2, 3, 3, 4]));
  const hasPhases = random.chance(0.7);
  const tools = names.map((tool) => someContract(random, tool, hasPhases));
  const isBound = tools.some(({ binds }) => binds !== undefined);
  const compared = { argument_value_invariants: [{ path: "$.n", ref: "slot" }] };
  const [initial, middle, end] = PHASES.map((name) => ({ name }));
  const aggregates = random.list(random.pick([1, 1, 2, 3]), (index) => ({
    ...someAggregate(random, names, index),
    ...random.maybe(isBound ? 0.2 : 0, () => ({ when: random.some(OVERRIDES, 0.5) })),
  }));
  return {
    tools: tools.map((tool) => (isBound && random.chance(0.15) ? { ...tool, ...compared } : tool)),
    definitions: null,
    session: {
      schema_version: "1.0",
      agent: "limited",
      session_limits: someLimits(random, names),
      aggregates,
      ...(hasPhases && initial !== undefined && middle !== undefined && end !== undefined
        ? {
            phases: [{ ...initial, initial: true }, middle, { ...end, terminal: true }],
            transitions: {
              one: random.chance(0.7) ? ["two"] : ["two", "three"],
              two: ["one", "three"],
              three: ["two"],
            },
          }
        : {}),
    },
  };
}

function someOutcome(random: Random): Outcome {
  if (random.chance(0.8)) return { kind: "result", output: { ok: true } };
  return random.pick<Outcome>([
    { kind: "result", output: { ok: false } },
    { kind: "did_not_happen" },
    { kind: "timeout", sent: true },
    { kind: "happened" },
  ]);
}

/** Plays one session, mostly call by call, so that it gets far. */
export async function playFreely(guard: Guard, random: Random, { tools }: Pack): Promise<void> {
  const open: string[] = [];
  const [opensSteps, settles] = [random.pick([0, 0.15, 0.3]), random.pick([0.5, 0.9, 0.9])];
  for (let at = 0; at < OPERATIONS; at++) {
    if (random.chance(opensSteps)) await guard.beginStep();
    const args = random.chance(0.97) ? { n: random.pick(NUMBERS) } : {};
    const { kind, callId } = await guard.propose({ tool: random.pick(tools).tool, args });
    if (kind === "allow" && callId !== undefined) open.push(callId);
    const settled = random.chance(settles) ? open.splice(random.below(open.length), 1) : [];
    for (const id of settled) await guard.settle(id, someOutcome(random));
  }
}
