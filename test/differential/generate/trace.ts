import type { JsonObject } from "../../../src/base/json.js";
import type { StoreFault } from "../failing-store.js";
import type { Mode, Pack, Proposal } from "../reference/model.js";
import { someAnswers, someApprovals } from "./answers.js";
import { someLateResult } from "./late-results.js";
import type { Operation, Trace } from "./operation.js";
import { someOutcome } from "./outcomes.js";
import type { Random } from "./random.js";
import { someSharing } from "./sharing.js";
import { notJson, someObject, somePrincipal, uncopied } from "./values.js";

export type { Operation, Setting, Trace } from "./operation.js";

/** Waiting for a store that fails for good takes real time. */
const HASTY_MS = 10;

interface Habits {
  readonly tools: readonly string[];
  readonly pool: readonly JsonObject[];
  readonly mode: Mode;
  readonly opensSteps: boolean;
  /** Up to which roll an operation settles an earlier call. */
  readonly settles: number;
  /** How many calls are not settled at once. */
  readonly parallel: number;
  readonly approves: boolean;
  /** How many proposals have a key. */
  readonly keyed: number;
  /** Proposals under a key so far, which their caller may repeat. */
  readonly made: Proposal[];
  /** How often the store fails, also while the session is killed, and how when calls are settled. */
  readonly faults: number;
  readonly killFaults: number;
  readonly settleFaults: readonly StoreFault[];
  /** How often a result comes after its call was settled as `did_not_happen`. */
  readonly late: number;
  /** How many people have to approve. */
  readonly quorum: number;
}

const SPOILS = { spoils: true } as const;

/** Waiting for a store that is silent, or that others keep changing, takes real time, so that is rare. */
function someFault(random: Random): StoreFault {
  if (random.chance(0.06)) return random.pick(["silent", "conflicts"]);
  return random.pick(["throws", "throws_at_once", "lies", "lies", "one_conflict", "two_conflicts"]);
}

function faultOf(random: Random, { faults }: Habits): { store?: StoreFault } {
  return random.maybe(faults, () => ({ store: someFault(random) }));
}

/** Names that no tool has, and what is no name but looks like one. */
function someOddTool(random: Random, tools: readonly string[]): unknown {
  if (random.chance(0.5)) return random.pick(["ghost", "ghost", "", "__proto__", "constructor", "toString"]);
  const [first = ""] = tools;
  return random.make<unknown>([
    () => [first],
    () => Object(first),
    () => Symbol(first),
    () => ({ toString: () => first }),
    () => random.pick<unknown>([null, undefined, 7, true]),
  ]);
}

/** Calls under a key are repeated as they were, or with something changed. */
function someKeyed(random: Random, habits: Habits): Proposal {
  const { tools, pool, made } = habits;
  if (made.length > 0 && random.chance(0.6)) {
    const before = random.pick(made);
    if (random.chance(0.65)) return before;
    if (random.chance(0.6)) return { ...before, args: random.pick(pool) };
    return { ...before, tool: random.pick([...tools, "ghost"]) };
  }
  const callKey = random.chance(0.95)
    ? random.pick(["k1", "k2", "k3", "x".repeat(256)])
    : random.pick<unknown>(["", "x".repeat(257), 7, null, true, ["k1"], { key: "k1" }]);
  const proposal = { tool: random.pick(tools), args: random.pick(pool), callKey };
  made.push(proposal);
  return proposal;
}

function somePropose(random: Random, habits: Habits): Operation {
  const { tools, pool, mode, keyed } = habits;
  // What shadow and log-only make of keys, and of JSON that is no object, is left open.
  if (mode === "enforce" && random.chance(keyed)) {
    return { op: "propose", ...someKeyed(random, habits), ...faultOf(random, habits) };
  }
  const tool = random.chance(0.95) ? random.pick(tools) : someOddTool(random, tools);
  if (typeof tool !== "string") return { op: "propose", tool, args: random.pick(pool) };
  if (random.chance(0.02)) {
    return { op: "propose", tool, args: mode === "enforce" ? notJson(random) : uncopied(random) };
  }
  const args = random.chance(0.7) ? random.pick(pool) : someObject(random);
  return { op: "propose", tool, args, ...faultOf(random, habits), ...random.maybe(0.1, () => SPOILS) };
}

function someSettle(random: Random, habits: Habits): Operation {
  const among = random.chance(0.92) ? "open" : random.chance(0.8) ? "any" : "nothing";
  const fault = random.maybe(habits.faults, () => ({ store: random.pick(habits.settleFaults) }));
  return {
    op: "settle",
    among,
    back: random.below(4),
    outcome: someOutcome(random),
    ...fault,
    ...random.maybe(0.1, () => SPOILS),
  };
}

/** What happens besides calls, now and then with something that is neither a reason nor a label. */
function someAside(random: Random, habits: Habits, roll: number): Operation | null {
  if (roll < 0.05 && habits.opensSteps) return { op: "beginStep", ...faultOf(random, habits) };
  if (roll < 0.07) return { op: "recordCost", usd: random.pick([0.1, 0.2, 0.7]), ...faultOf(random, habits) };
  if (roll < 0.095) {
    return { op: "addLabel", label: random.pick(["secret", "tainted", "other"]), ...faultOf(random, habits) };
  }
  if (roll < 0.1) return { op: "addLabel", label: random.pick<unknown>([["secret"], "", null, 5, Object("secret")]) };
  if (roll < 0.1015) {
    const why = random.pick<unknown>(["by the test", "", null, undefined, 0, false, {}, Symbol("why")]);
    return { op: "kill", why, ...random.maybe(habits.killFaults, () => ({ store: someFault(random) })) };
  }
  return roll < 0.11 ? { op: "wait", seconds: random.pick([10, 29, 30, 60, 90]) } : null;
}

function someWrap(random: Random, { tools, pool }: Habits): Operation {
  const output = someObject(random);
  return { op: "wrap", tool: random.pick(tools), args: random.pick(pool), output, promptly: random.chance(0.5) };
}

function answersOf(random: Random, habits: Habits): readonly Operation[] {
  return someAnswers(random, habits.quorum).map((answer) => ({ ...answer, ...faultOf(random, habits) }));
}

function someOperations(random: Random, habits: Habits): readonly Operation[] {
  const roll = random.next();
  const aside = someAside(random, habits, roll);
  if (aside !== null) return [aside];
  if (habits.approves && roll < 0.36) {
    if (habits.mode === "enforce" && random.chance(0.25)) return [someWrap(random, habits)];
    return answersOf(random, habits);
  }
  if (random.chance(habits.late)) return someLateResult(random, () => somePropose(random, habits));
  if (roll < habits.settles) return [someSettle(random, habits)];
  const propose = somePropose(random, habits);
  if (habits.approves && random.chance(0.3)) return [propose, ...answersOf(random, habits)];
  if (random.chance(habits.parallel)) return [propose];
  return [propose, { op: "settle", among: "open", back: 0, outcome: { kind: "result", output: someObject(random) } }];
}

function hasCheckpoints({ tools, session }: Pack): boolean {
  return tools.some(({ checkpoint }) => checkpoint !== undefined) || (session?.checkpoints ?? []).length > 0;
}

/** A session: how its guards are set up, and what is done to them. */
export function someTrace(random: Random, pack: Pack, store: "failing" | "durable"): Trace {
  const mode = random.chance(0.88) ? "enforce" : random.chance(0.7) ? "shadow" : "log-only";
  const approves = hasCheckpoints(pack);
  const first = someApprovals(random);
  const { second, padding, spread } = someSharing(random, { store, approves, first });
  // Guards that share a store wait for each other now and then, and then settling must not be given up.
  const isHasty = second === null && random.chance(0.2);
  const habits: Habits = {
    tools: pack.tools.map(({ tool }) => tool),
    pool: random.list(random.pick([1, 2, 4]), () => someObject(random)),
    mode,
    opensSteps: random.chance(0.4),
    settles: random.pick([0.36, 0.46, 0.6]),
    parallel: random.pick([0.2, 0.5, 0.9]),
    approves,
    keyed: random.pick([0, 0, 0.2, 0.6]),
    made: [],
    // What two guards know while the store fails may differ.
    faults: second !== null ? 0 : random.pick([0, 0, 0.02]),
    killFaults: second !== null ? 0 : 0.2,
    settleFaults: isHasty ? ["throws", "lies", "conflicts"] : ["one_conflict", "two_conflicts"],
    late: random.pick([0, 0, 0, 0, 0.1]),
    quorum: first.approvals.quorum ?? 1,
  };
  const operations = random.list(8 + random.below(18), () => someOperations(random, habits)).flat();
  return {
    setting: {
      principal: somePrincipal(random),
      env: { LETTER: "a", ...random.maybe(0.8, () => ({ REGION: "EU" })) },
      unmatched: random.pick(["allow", "block"]),
      mode,
      approver: random.chance(0.85) ? "manual" : null,
      settleTimeoutMs: isHasty ? HASTY_MS : 30_000,
      store,
      padding,
      first,
      second,
    },
    operations: spread(operations),
  };
}
