import type { CompiledAggregate } from "../../artifact/compiled.js";
import { spend } from "../../base/cost.js";
import { compareSum, sumNumber } from "../../base/exact-sum.js";
import { type Block, block } from "../decide/verdict.js";
import { present, slotWrite, writersOf } from "../decide/worlds.js";
import type { Program } from "../program/program.js";
import { contributionsOf, type Range, rangeOf, withoutOpen } from "../session/aggregate.js";
import { partOf } from "../session/aggregate-parts.js";
import { type Call, type Possible, UNKNOWN } from "../session/call.js";
import { type LastWriters, lastWritersOf } from "../session/last-writers.js";
import type { AggregateState, Contribution, Session } from "../session/session.js";
import { type Environment, judgeEach } from "../values/judge-value.js";

/**
 * Up to this many calls, and choices of those that bind last, each choice is tried; beyond that every mix of values is assumed
 * possible, which may refuse a call that no choice would.
 */
const MOST_WRITERS = 64;
const MOST_TRIED = 2000;

/** The cost of trying one world: about 4,000 of them fit into one judgement. */
const WORLD_COST = 2000;

interface Bounds {
  readonly gte: number | null;
  readonly lte: number | null;
}

type Slots = (slot: string) => Possible;

/** "unjudgeable" for a bound value of another type, "unknown" for one not known yet. */
type InForce = Bounds | "unjudgeable" | "unknown";

type Override = CompiledAggregate["when"][number];

/** The bounds of one condition if it holds for a value; null if it does not, and the next one is tried. */
function boundsOf(aggregate: CompiledAggregate, override: Override, value: Possible, env: Environment): InForce | null {
  if (value === undefined) return null;
  if (value === UNKNOWN) return "unknown";
  const judgements = judgeEach(override.operators, value, env);
  if (judgements.includes(false)) return null;
  if (judgements.includes(null)) return "unjudgeable";
  return { gte: override.then_gte ?? aggregate.gte, lte: override.then_lte ?? aggregate.lte };
}

/** The bounds in force. */
function boundsFor(aggregate: CompiledAggregate, slots: Slots, env: Environment): InForce {
  for (const override of aggregate.when) {
    const bounds = boundsOf(aggregate, override, slots(override.slot), env);
    if (bounds !== null) return bounds;
  }
  return aggregate;
}

function judgeWorld(
  aggregate: CompiledAggregate,
  slots: Slots,
  world: { program: Program; state: AggregateState; sure: readonly Contribution[] },
): Block | null {
  const { program, state, sure } = world;
  const bounds = boundsFor(aggregate, slots, program.env);
  return judgeBounds(aggregate, bounds, () => rangeOf(aggregate, state, sure));
}

function judgeBounds(aggregate: CompiledAggregate, bounds: InForce, range: () => Range): Block | null {
  const { at, reason, name } = aggregate;
  if (bounds === "unjudgeable") return block("aggregate_unjudgeable", at, reason, "a bound value of another type");
  if (bounds === "unknown") return block("pending_conflict", at, reason, "a call that may rebind a condition");
  const { low, high } = range();
  if (bounds.lte !== null && high !== null && compareSum(high, bounds.lte) > 0) {
    return block("aggregate_exceeded", at, reason, `\`${name}\` would be ${sumNumber(high)}, above ${bounds.lte}`);
  }
  if (bounds.gte !== null && low !== null && compareSum(low, bounds.gte) < 0) {
    return block("aggregate_exceeded", at, reason, `\`${name}\` would be ${sumNumber(low)}, below ${bounds.gte}`);
  }
  return null;
}

const SEVERITY: readonly string[] = ["aggregate_unjudgeable", "aggregate_exceeded", "pending_conflict"];

function worst(failures: readonly (Block | null)[]): Block | null {
  const real = failures.filter((failure): failure is Block => failure !== null);
  return real.sort((a, b) => SEVERITY.indexOf(a.reason) - SEVERITY.indexOf(b.reason))[0] ?? null;
}

/** A decision about one aggregate. */
export interface Judging {
  readonly session: Session;
  readonly program: Program;
  readonly index: number;
  readonly state: AggregateState;
  /** What the call itself adds. */
  readonly own: readonly Contribution[];
  /** The key of the value whose part is judged; undefined without `per`. */
  readonly key?: string;
}

/**
 * Calls that count for the aggregate may also rebind its conditions, so each choice of the calls that bind last is tried.
 * Undefined if there are too many.
 */
function judgeWorlds(
  aggregate: CompiledAggregate,
  writers: readonly Call[],
  judging: Judging,
): Block | null | undefined {
  const { session, program, index, state, own, key } = judging;
  const slotNames = new Set(aggregate.when.map(({ slot }) => slot));
  const choices = writers.length > MOST_WRITERS ? null : lastWritersOf(slotNames, writers, MOST_TRIED);
  if (choices === null) return undefined;
  const failures = choices.flatMap(withRejections).map(({ choice, rejected }) => {
    spend(WORLD_COST);
    const happened = new Set([...choice.values()].filter((call) => call !== null));
    const slots: Slots = (slot) => {
      const last = choice.get(slot) ?? null;
      if (last === null) return present(session.slots.get(slot));
      return rejected.has(last) ? undefined : slotWrite(last, slot)?.value;
    };
    const added = contributionsOf(partners(happened, aggregate, key), aggregate, index);
    const rest = isTotal(aggregate) ? withoutOpen(state, added) : state;
    return judgeWorld(aggregate, slots, { program, state: rest, sure: [...own, ...added] });
  });
  return worst(failures);
}

/** A choice of last writers, and those of them whose output is rejected, so that they leave unset what they write last. */
interface World {
  readonly choice: LastWriters;
  readonly rejected: ReadonlySet<Call>;
}

function withRejections(choice: LastWriters): readonly World[] {
  const last = new Set([...choice.values()].filter((call) => call !== null));
  let worlds: readonly World[] = [{ choice, rejected: new Set() }];
  for (const call of last) {
    if (![...choice].every(([slot, by]) => by !== call || call.tool.rebinds.includes(slot))) continue;
    worlds = worlds.flatMap((world) => [world, { choice, rejected: new Set([...world.rejected, call]) }]);
  }
  return worlds;
}

/** The calls that count in the same part. */
function partners(calls: ReadonlySet<Call>, aggregate: CompiledAggregate, key: string | undefined): readonly Call[] {
  return [...calls].filter(({ args }) => key === undefined || partOf(aggregate, args) === key);
}

/** One value for each combination of results of the conditions on a slot. */
function distinguishable(aggregate: CompiledAggregate, slot: string, values: Iterable<Possible>, env: Environment) {
  const conditions = aggregate.when.filter((override) => override.slot === slot);
  const kinds = new Map<string, Possible>();
  for (const value of values) {
    spend(32 * (1 + conditions.length));
    const known = value === undefined || value === UNKNOWN ? null : value;
    const kind =
      value === undefined || value === UNKNOWN
        ? String(value)
        : conditions.map(({ operators }) => judgeEach(operators, known, env)).join(";");
    if (!kinds.has(kind)) kinds.set(kind, value);
  }
  return [...kinds.values()];
}

/** One value for each slot that matters: the index of the value by the name of the slot. */
type Choice = ReadonlyMap<string, number>;

/**
 * The bounds that may come into force if every slot may have any of its values. The conditions are tried in order, with the
 * choices under which no earlier one holds; a slot is dropped once no later condition reads it, so that conditions on different
 * slots do not multiply.
 */
function reachableBounds(
  aggregate: CompiledAggregate,
  valuesOf: (slot: string) => readonly Possible[],
  env: Environment,
): ReadonlySet<InForce> {
  const reached = new Set<InForce>();
  let choices: Iterable<Choice> = [new Map()];
  for (const [at, override] of aggregate.when.entries()) {
    const later = new Set(aggregate.when.slice(at + 1).map(({ slot }) => slot));
    const values = valuesOf(override.slot);
    const bounds = values.map((value) => boundsOf(aggregate, override, value, env));
    const left = new Map<string, Choice>();
    for (const choice of choices) {
      const chosen = choice.get(override.slot);
      for (const index of chosen === undefined ? values.keys() : [chosen]) {
        spend(WORLD_COST);
        const reaches = bounds[index] ?? null;
        if (reaches !== null) reached.add(reaches);
        else {
          const kept = [...choice, [override.slot, index] as const].filter(([slot]) => later.has(slot));
          left.set(JSON.stringify(kept.sort()), new Map(kept));
        }
      }
    }
    choices = [...left.values()];
    if (left.size === 0) return reached;
  }
  return reached.add(aggregate);
}

/** For too many choices to try: every slot may have any of its values, and every call may count. */
function judgeBroadly(aggregate: CompiledAggregate, { session, program, state, own }: Judging): Block | null {
  const known = new Map<string, readonly Possible[]>();
  for (const slot of new Set(aggregate.when.map((override) => override.slot))) {
    const open = session.open?.slot(slot)?.values() ?? [];
    known.set(slot, distinguishable(aggregate, slot, [present(session.slots.get(slot)), ...open], program.env));
  }
  const range = rangeOf(aggregate, state, own);
  const reached = reachableBounds(aggregate, (slot) => known.get(slot) ?? [], program.env);
  return worst(Array.from(reached, (bounds) => judgeBounds(aggregate, bounds, () => range)));
}

/** Whether an aggregate is a running total. */
export function isTotal({ metric }: CompiledAggregate): boolean {
  return metric === "sum" || metric === "count";
}

/** The slots that decide which bounds hold. */
export function conditionSlots({ when }: CompiledAggregate): ReadonlySet<string> {
  return new Set(when.map(({ slot }) => slot));
}

/** The refusal of a state of an aggregate with what a call adds, in each world that the open calls may lead to. */
export function judgeWith(compiled: CompiledAggregate, slotNames: ReadonlySet<string>, judging: Judging): Block | null {
  const { session, program, state, own } = judging;
  const writers = slotNames.size === 0 ? [] : writersOf(session, slotNames);
  if (writers.length === 0) {
    const slots: Slots = (slot) => present(session.slots.get(slot));
    return judgeWorld(compiled, slots, { program, state, sure: own });
  }
  const judged = judgeWorlds(compiled, writers, judging);
  return judged === undefined ? judgeBroadly(compiled, judging) : judged;
}
