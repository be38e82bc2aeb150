import type { CompiledAggregate } from "../artifact/compiled.js";
import { canonicalJson } from "../base/canonical-json.js";
import { spend, withinBudget } from "../base/cost.js";
import { addSums, compareSum, EMPTY_SUM, type ExactSum, sumAll, sumOf } from "../base/exact-sum.js";
import type { Json } from "../base/json.js";
import { readAll, readDefinite } from "./read-path.js";
import type { AggregateState, Call, Contribution, Session } from "./session.js";

const NOTHING: readonly never[] = Object.freeze([]);
const ONE_CALL: Contribution = Object.freeze({ total: sumOf(1), values: NOTHING, distinct: NOTHING });

/** What a call adds to an aggregate, null for nothing, undefined where that cannot be judged. */
export function contributionOf(aggregate: CompiledAggregate, args: Json): Contribution | null | undefined {
  const { metric, path, tools } = aggregate;
  if (metric === "count" || path === null) return ONE_CALL;
  const found = readAll(path, args);
  if (found.length === 0) return tools === null ? null : undefined;
  if (metric === "count_distinct") return { total: EMPTY_SUM, values: NOTHING, distinct: found.map(canonicalJson) };
  return numericContribution(metric, found);
}

/**
 * What a call adds that was let through unjudged: whatever of it can be counted. It has a budget of its own, so that it does
 * not matter which decision asks first; a call that was judged has paid for the same already and stays within it.
 */
export function countedContribution(aggregate: CompiledAggregate, args: Json): Contribution | null {
  return withinBudget(
    () => countableContribution(aggregate, args),
    () => null,
  );
}

function countableContribution(aggregate: CompiledAggregate, args: Json): Contribution | null {
  const contribution = contributionOf(aggregate, args);
  if (contribution !== undefined || aggregate.path === null) return contribution ?? null;
  const numbers = readAll(aggregate.path, args).filter((value) => typeof value === "number");
  const { metric } = aggregate;
  return metric === "sum" || metric === "max" || metric === "min"
    ? (numericContribution(metric, numbers) ?? null)
    : null;
}

/** What a call adds to a sum or count; nothing to the other metrics. */
export function totalOf(aggregate: CompiledAggregate, args: Json): ExactSum {
  const { metric, path } = aggregate;
  if (metric === "count") return 1;
  if (metric !== "sum") return EMPTY_SUM;
  const value = path?.kind === "definite" ? readDefinite(path.steps, args) : undefined;
  return typeof value === "number" ? sumOf(value) : (countedContribution(aggregate, args)?.total ?? EMPTY_SUM);
}

function numericContribution(metric: "sum" | "max" | "min", found: readonly Json[]): Contribution | undefined {
  const values: number[] = [];
  spend(8 * found.length);
  for (const value of found) {
    if (typeof value !== "number") return undefined;
    values.push(value);
  }
  return metric === "sum"
    ? { total: sumAll(values), values: NOTHING, distinct: NOTHING }
    : { total: EMPTY_SUM, values, distinct: NOTHING };
}

/** Adds what a call contributed to what surely counts. */
export function addContribution(aggregate: CompiledAggregate, state: AggregateState, contribution: Contribution): void {
  state.total = addSums(state.total, contribution.total);
  for (const value of contribution.values) state.extreme = more(aggregate.metric, state.extreme, value);
  for (const text of contribution.distinct) state.distinct.add(text);
}

function more(metric: CompiledAggregate["metric"], extreme: number | null, value: number): number | null {
  if (metric !== "max" && metric !== "min") return extreme;
  if (extreme === null) return value;
  return metric === "max" ? Math.max(extreme, value) : Math.min(extreme, value);
}

/** Adds to, or takes from, what unsettled calls may still change. */
export function shiftOpen(state: AggregateState, total: ExactSum, shift: (a: ExactSum, b: ExactSum) => ExactSum): void {
  if (compareSum(total, 0) > 0) state.raise = shift(state.raise, total);
  else state.lower = shift(state.lower, total);
}

/** An open call is asked again with every decision while it is open. */
const remembered = new WeakMap<Call, Map<CompiledAggregate, Contribution | null>>();

function contributionOfCall(call: Call, aggregate: CompiledAggregate): Contribution | null {
  const known = remembered.get(call) ?? new Map<CompiledAggregate, Contribution | null>();
  remembered.set(call, known);
  const contribution = known.get(aggregate) ?? countedContribution(aggregate, call.args);
  known.set(aggregate, contribution);
  return contribution;
}

/** What each of some calls adds to an aggregate. */
export function contributionsOf(
  calls: readonly Call[],
  aggregate: CompiledAggregate,
  index: number,
): readonly Contribution[] {
  return calls.flatMap((call) => {
    const contribution = call.tool.aggregates.includes(index) ? contributionOfCall(call, aggregate) : null;
    return contribution === null ? [] : [contribution];
  });
}

/** What the open calls may add; what was committed at dispatch counts already. */
export function openContributions(
  { unsettled }: Session,
  aggregate: CompiledAggregate,
  index: number,
): readonly Contribution[] {
  return contributionsOf(
    unsettled.filter(({ tool }) => !tool.commitsAtDispatch),
    aggregate,
    index,
  );
}

/** Calls beyond what surely counts: `sure` ones count too, `open` ones may or may not. */
export interface Additions {
  readonly sure: readonly Contribution[];
  readonly open: readonly Contribution[];
  /** The open ones are all unsettled calls, whose totals the state keeps. */
  readonly areAllOpen?: boolean;
}

/** The lowest and the highest value an aggregate may have; null where it has none. */
export interface Range {
  readonly low: ExactSum | null;
  readonly high: ExactSum | null;
}

function totalRange(state: AggregateState, { sure, open, areAllOpen = false }: Additions): Range {
  let low = state.total;
  for (const { total } of sure) low = addSums(low, total);
  if (areAllOpen) return { low: addSums(low, state.lower), high: addSums(low, state.raise) };
  let high = low;
  for (const { total } of open) {
    if (compareSum(total, 0) > 0) high = addSums(high, total);
    else low = addSums(low, total);
  }
  return { low, high };
}

/** The extreme of the values of some calls together; null where they have none. */
function extremeOf(metric: "max" | "min", from: number | null, contributions: readonly Contribution[]): number | null {
  let extreme = from;
  for (const { values } of contributions) for (const value of values) extreme = more(metric, extreme, value);
  return extreme;
}

/** The range of a maximum or minimum: with every open call at one end, with none of them, or only one, at the other. */
function extremeRange(metric: "max" | "min", state: AggregateState, { sure, open }: Additions): Range {
  const certain = extremeOf(metric, state.extreme, sure);
  const furthest = extremeOf(metric, certain, open);
  // Where nothing counts for sure, the first open call to happen sets the value alone.
  const alone = open.map((call) => extremeOf(metric, null, [call])).filter((value) => value !== null);
  const nearest = certain ?? (alone.length === 0 ? null : metric === "max" ? Math.min(...alone) : Math.max(...alone));
  const wrap = (value: number | null) => (value === null ? null : sumOf(value));
  return metric === "max" ? { low: wrap(nearest), high: wrap(furthest) } : { low: wrap(furthest), high: wrap(nearest) };
}

function distinctRange(state: AggregateState, { sure, open }: Additions): Range {
  const added = new Set<string>();
  const gather = (contributions: readonly Contribution[]) => {
    for (const { distinct } of contributions)
      for (const text of distinct) if (!state.distinct.has(text)) added.add(text);
    return sumOf(state.distinct.size + added.size);
  };
  return { low: gather(sure), high: gather(open) };
}

/** The range of values an aggregate may have, however the open calls end. */
export function rangeOf(aggregate: CompiledAggregate, state: AggregateState, additions: Additions): Range {
  switch (aggregate.metric) {
    case "sum":
    case "count":
      return totalRange(state, additions);
    case "max":
    case "min":
      return extremeRange(aggregate.metric, state, additions);
    case "count_distinct":
      return distinctRange(state, additions);
  }
}
