import type { CompiledAggregate } from "../../artifact/compiled.js";
import { canonicalKey } from "../../base/canonical-json.js";
import { spend, withinBudget } from "../../base/cost.js";
import { addSums, compareSum, EMPTY_SUM, type ExactSum, subtractSums, sumAll, sumOf } from "../../base/exact-sum.js";
import type { Json } from "../../base/json.js";
import { readAll, readDefinite } from "../values/read-path.js";
import type { Call } from "./call.js";
import { NumberBag } from "./number-bag.js";
import type { AggregateState, Contribution } from "./session.js";

const NOTHING: readonly never[] = Object.freeze([]);
const ONE_CALL: Contribution = Object.freeze({ total: sumOf(1), values: NOTHING, distinct: NOTHING });

/** What a call adds to an aggregate: null for nothing, undefined if that cannot be judged. */
export function contributionOf(aggregate: CompiledAggregate, args: Json): Contribution | null | undefined {
  if (isCheap(aggregate)) return contributionIn(aggregate, args);
  const contribution = contributionIn(aggregate, args);
  if (contribution !== undefined) remember(aggregate, args, contribution);
  return contribution;
}

/** At most one number: reading it again costs less than remembering it. */
function isCheap({ metric, path }: CompiledAggregate): boolean {
  return metric !== "count_distinct" && (path === null || path.kind === "definite");
}

/**
 * What calls add, by their arguments: needed when a call is judged, reserved and settled, and with every decision in between.
 * A call that adds nothing is remembered too.
 */
const remembered = new WeakMap<object, Map<CompiledAggregate, Contribution | null>>();

function remember(aggregate: CompiledAggregate, args: Json, contribution: Contribution | null): void {
  if (typeof args !== "object" || args === null) return;
  const known = remembered.get(args) ?? new Map<CompiledAggregate, Contribution | null>();
  remembered.set(args, known.set(aggregate, contribution));
}

function contributionIn(aggregate: CompiledAggregate, args: Json): Contribution | null | undefined {
  const { metric, path, tools } = aggregate;
  if (metric === "count" || path === null) return ONE_CALL;
  const found = readAll(path, args);
  if (found.length === 0) return tools === null ? null : undefined;
  if (metric === "count_distinct") return { total: EMPTY_SUM, values: NOTHING, distinct: distinctTexts(found) };
  return numericContribution(metric, found);
}

/** The cost of keeping a text in a set or a map, besides building it. */
const TEXT_COST = 64;

function distinctTexts(found: readonly Json[]): readonly string[] {
  spend(TEXT_COST * found.length);
  return [...new Set(found.map(canonicalKey))];
}

/**
 * What a call adds that was allowed without being judged: as much of it as can be counted. It has a budget of its own, so that
 * the order of decisions does not matter; no decision pays for it. What was judged is remembered and costs nothing more.
 */
export function countedContribution(aggregate: CompiledAggregate, args: Json): Contribution | null {
  // One number takes no budget, and is the commonest case.
  if (isCheap(aggregate)) return countableContribution(aggregate, args);
  const known = typeof args === "object" && args !== null ? remembered.get(args)?.get(aggregate) : undefined;
  if (known !== undefined) return known;
  const contribution = withinBudget(
    () => countableContribution(aggregate, args),
    () => null,
  );
  remember(aggregate, args, contribution);
  return contribution;
}

function countableContribution(aggregate: CompiledAggregate, args: Json): Contribution | null {
  const contribution = contributionIn(aggregate, args);
  if (contribution !== undefined || aggregate.path === null) return contribution ?? null;
  const numbers = readAll(aggregate.path, args).filter((value) => typeof value === "number");
  const { metric } = aggregate;
  return metric === "sum" || metric === "max" || metric === "min"
    ? (numericContribution(metric, numbers) ?? null)
    : null;
}

/** What a call adds to a sum or count; nothing to the other metrics. */
function totalOf(aggregate: CompiledAggregate, args: Json): ExactSum {
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

/** Adds the contribution of a call that surely counts. */
export function addContribution(aggregate: CompiledAggregate, state: AggregateState, contribution: Contribution): void {
  state.total = addSums(state.total, contribution.total);
  for (const value of contribution.values) state.extreme = more(aggregate.metric, state.extreme, value);
  for (const text of contribution.distinct) {
    if (state.distinct.has(text)) continue;
    state.distinct.add(text);
    if (state.openTexts?.has(text)) state.openNewTexts -= 1;
  }
}

function more(metric: CompiledAggregate["metric"], extreme: number | null, value: number): number | null {
  if (metric !== "max" && metric !== "min") return extreme;
  if (extreme === null) return value;
  return metric === "max" ? Math.max(extreme, value) : Math.min(extreme, value);
}

/** Adds to (1), or subtracts from (-1), what unsettled calls may still change. */
export function shiftOpen(aggregate: CompiledAggregate, state: AggregateState, args: Json, sign: 1 | -1): void {
  const { metric } = aggregate;
  if (shiftWhole(aggregate, state, args, sign)) return;
  if (metric === "sum" || metric === "count") shiftTotal(state, totalOf(aggregate, args), sign);
  else if (metric === "count_distinct")
    shiftTexts(state, countedContribution(aggregate, args)?.distinct ?? NOTHING, sign);
  else shiftExtreme(state, extremeAlone(metric, countedContribution(aggregate, args)), sign);
}

function shiftTotal(state: AggregateState, total: ExactSum, sign: 1 | -1): void {
  const shift = sign === 1 ? addSums : subtractSums;
  if (compareSum(total, 0) > 0) state.raise = shift(state.raise, total);
  else state.lower = shift(state.lower, total);
}

/**
 * The commonest shift, of a sum of whole numbers by one above 0; false where it is another one. The general way leads
 * through many calls, which every reservation would pay for.
 */
function shiftWhole({ metric, path }: CompiledAggregate, state: AggregateState, args: Json, sign: 1 | -1): boolean {
  if (metric !== "sum" || path?.kind !== "definite" || typeof state.raise !== "number") return false;
  const value = readDefinite(path.steps, args);
  if (typeof value !== "number" || value <= 0 || !Number.isSafeInteger(value)) return false;
  const raise = state.raise + sign * value;
  if (!Number.isSafeInteger(raise)) return false;
  state.raise = raise;
  return true;
}

function shiftTexts(state: AggregateState, texts: readonly string[], sign: 1 | -1): void {
  const counts = state.openTexts ?? new Map<string, number>();
  for (const text of new Set(texts)) {
    const before = counts.get(text) ?? 0;
    const after = before + sign;
    if (after === 0) counts.delete(text);
    else counts.set(text, after);
    if ((before === 0 || after === 0) && !state.distinct.has(text)) state.openNewTexts += sign;
  }
  state.openTexts = counts.size === 0 ? null : counts;
}

function shiftExtreme(state: AggregateState, value: number | null, sign: 1 | -1): void {
  if (value === null) return;
  const extremes = state.openExtremes ?? new NumberBag();
  if (sign === 1) extremes.add(value);
  else extremes.remove(value);
  state.openExtremes = extremes.counts.size === 0 ? null : extremes;
}

/** The maximum or minimum of one call alone; null if it has no value. */
function extremeAlone(metric: "max" | "min", contribution: Contribution | null): number | null {
  return contribution === null ? null : extremeOf(metric, null, [contribution]);
}

/** The same state without the totals of some unsettled calls. */
export function withoutOpen(state: AggregateState, contributions: readonly Contribution[]): AggregateState {
  const rest = { ...state };
  for (const { total } of contributions) shiftTotal(rest, total, -1);
  return rest;
}

/** What each of some calls adds to an aggregate. */
export function contributionsOf(
  calls: Iterable<Call>,
  aggregate: CompiledAggregate,
  index: number,
): readonly Contribution[] {
  const contributions: Contribution[] = [];
  for (const call of calls) {
    spend(16);
    const contribution = call.tool.aggregates.includes(index) ? countedContribution(aggregate, call.args) : null;
    if (contribution !== null) contributions.push(contribution);
  }
  return contributions;
}

/** The lowest and the highest value an aggregate may have; null if it has none. */
export interface Range {
  readonly low: ExactSum | null;
  readonly high: ExactSum | null;
}

function totalRange(state: AggregateState, sure: readonly Contribution[]): Range {
  const certain = sure.reduce((sum, { total }) => addSums(sum, total), state.total);
  return { low: addSums(certain, state.lower), high: addSums(certain, state.raise) };
}

/** The extreme of the values of some calls together; null if they have none. */
function extremeOf(metric: "max" | "min", from: number | null, contributions: readonly Contribution[]): number | null {
  let extreme = from;
  for (const { values } of contributions) {
    spend(2 * values.length);
    for (const value of values) extreme = more(metric, extreme, value);
  }
  return extreme;
}

/** The range of a maximum or minimum: with every open call at one end, with none of them, or only one, at the other. */
function extremeRange(metric: "max" | "min", state: AggregateState, sure: readonly Contribution[]): Range {
  const certain = extremeOf(metric, state.extreme, sure);
  const [least, greatest] = [state.openExtremes?.least ?? null, state.openExtremes?.greatest ?? null];
  const all = metric === "max" ? greatest : least;
  const furthest = all === null ? certain : more(metric, certain, all);
  // If nothing counts for sure, the first open call that happens sets the value alone.
  const nearest = certain ?? (metric === "max" ? least : greatest);
  const wrap = (value: number | null) => (value === null ? null : sumOf(value));
  return metric === "max" ? { low: wrap(nearest), high: wrap(furthest) } : { low: wrap(furthest), high: wrap(nearest) };
}

function distinctRange(state: AggregateState, sure: readonly Contribution[]): Range {
  const added = new Set<string>();
  for (const { distinct } of sure) {
    spend(TEXT_COST * distinct.length);
    for (const text of distinct) if (!state.distinct.has(text)) added.add(text);
  }
  const low = state.distinct.size + added.size;
  let high = low + state.openNewTexts;
  for (const text of added) if (state.openTexts?.has(text)) high -= 1;
  return { low: sumOf(low), high: sumOf(high) };
}

/**
 * The range of values that an aggregate may have: `sure` calls count, unsettled ones may or may not. A call that is among both
 * counts once, except in totals: there it must be removed first (`withoutOpen`).
 */
export function rangeOf(aggregate: CompiledAggregate, state: AggregateState, sure: readonly Contribution[]): Range {
  switch (aggregate.metric) {
    case "sum":
    case "count":
      return totalRange(state, sure);
    case "max":
    case "min":
      return extremeRange(aggregate.metric, state, sure);
    case "count_distinct":
      return distinctRange(state, sure);
  }
}

/** The value of an aggregate with every unsettled call counted; null if it has none. */
export function valueWithOpen(aggregate: CompiledAggregate, state: AggregateState): ExactSum | null {
  const { low, high } = rangeOf(aggregate, state, NOTHING);
  if (aggregate.metric === "min") return low;
  return aggregate.metric === "sum" ? addSums(addSums(state.total, state.raise), state.lower) : high;
}
