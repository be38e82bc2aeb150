import type { CompiledOperator, CompiledPattern } from "../../artifact/compiled-value.js";
import { isJsonList, isOfType, type Json, type TypeName, typeOf } from "../../base/json.js";
import { acceptsAbsence, comparisonsOf, domainOf, mayHold } from "../../operators/index.js";
import type { Engine } from "../../operators/operator.js";
import type { Range } from "../../operators/value-set.js";

/** A test that the value at a path must pass. */
export interface Demand {
  readonly operator: CompiledOperator;
  /** Types that pass whatever the operator is. */
  readonly passes: readonly TypeName[];
  /** Whether a missing value passes. */
  readonly optional: boolean;
}

/** What a path may find, as far as operators distinguish it. */
export const KINDS = ["absent", "null", "boolean", "number", "string", "array", "object"] as const;
export type Kind = (typeof KINDS)[number];

/** Above this many comparisons the answer is that a value may exist. */
const MOST_COMPARISONS = 100_000;

const kindOf = (type: TypeName): Kind => (type === "integer" ? "number" : type);

/** Patterns for the other engine count as matching, because only the guard has that engine. */
function mayMatch(pattern: CompiledPattern, text: string): boolean {
  if (pattern.engine !== "native") return true;
  try {
    return new RegExp(pattern.source, "u").test(text);
  } catch (cause) {
    if (cause instanceof RangeError) return true;
    throw cause;
  }
}

const ENGINE: Engine = { matcherOf: (pattern) => (text) => mayMatch(pattern, text) };

function mayMeet({ operator, passes }: Demand, value: Json): boolean {
  return passes.some((type) => isOfType(value, type)) || mayHold(operator, value, ENGINE);
}

/** The values that one of the demands lists, the shortest such list; null where none does. */
function listedBy(demands: readonly Demand[]): readonly Json[] | null {
  let shortest: readonly Json[] | null = null;
  for (const { operator } of demands) {
    const { values } = domainOf(operator).accepts;
    if (values !== null && (shortest === null || values.length < shortest.length)) shortest = values;
  }
  return shortest;
}

function candidatesOf(kind: Kind, strict: readonly Demand[]): readonly Json[] | null {
  if (kind === "null") return [null];
  if (kind === "boolean") return [true, false];
  return listedBy(strict)?.filter((value) => typeOf(value) === kind) ?? null;
}

/** How many comparisons it takes to judge one value. */
export function weightOf(demands: readonly Demand[]): number {
  let weight = 0;
  for (const { operator } of demands) weight += comparisonsOf(operator);
  return weight;
}

function isTooMuch(candidates: readonly Json[], demands: readonly Demand[]): boolean {
  let text = 0;
  for (const value of candidates) text += 1 + (typeof value === "string" || isJsonList(value) ? value.length : 0);
  return weightOf(demands) * text > MOST_COMPARISONS;
}

function surviving(candidates: readonly Json[], demands: readonly Demand[]): readonly Json[] {
  if (isTooMuch(candidates, demands)) return candidates;
  return candidates.filter((value) => demands.every((demand) => mayMeet(demand, value)));
}

/** Numbers from `low` to `high`. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

function isEmpty({ low, high }: Interval, demands: readonly Demand[]): boolean {
  if (low > high) return true;
  // Between two different bounds there are enough values to satisfy the other demands, as far as is known.
  return low === high && !demands.every((demand) => mayMeet(demand, low));
}

/** The whole numbers of a range. */
function wholeIn({ low, high, isLowOpen, isHighOpen }: Range): Interval {
  return {
    low: isLowOpen ? Math.floor(low) + 1 : Math.ceil(low),
    high: isHighOpen ? Math.ceil(high) - 1 : Math.floor(high),
  };
}

/** Whether all demands together leave only whole numbers. */
export function areWhole(demands: readonly Demand[]): boolean {
  return demands.some(({ operator }) => domainOf(operator).accepts.step === 1);
}

function boundsOf(strict: readonly Demand[]): Interval {
  const isWhole = areWhole(strict);
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { operator } of strict) {
    const { numbers } = domainOf(operator).accepts;
    const own = isWhole ? wholeIn(numbers) : numbers;
    low = Math.max(low, own.low);
    high = Math.min(high, own.high);
  }
  return { low, high };
}

function lengthsOf(strict: readonly Demand[], kind: "string" | "array"): Interval {
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  for (const { operator } of strict) {
    const own = domainOf(operator).accepts.lengths[kind];
    low = Math.max(low, own.low);
    high = Math.min(high, own.high);
  }
  return { low, high };
}

/** Whether an operator can accept any value of the kind. */
function speaksOf({ operator }: Demand, kind: Exclude<Kind, "absent">): boolean {
  return domainOf(operator).accepts.types.includes(kind);
}

/** The demands that no type of the kind is exempt from. */
function strictOn(kind: Kind, demands: readonly Demand[]): readonly Demand[] {
  return demands.filter(({ passes }) => !passes.some((type) => kindOf(type) === kind));
}

/** Whether a value of the kind may meet all demands; false is certain. */
export function mayBe(kind: Kind, demands: readonly Demand[]): boolean {
  if (kind === "absent") {
    return demands.every(({ operator, optional }) => optional || acceptsAbsence(operator));
  }
  const strict = strictOn(kind, demands);
  const candidates = candidatesOf(kind, strict);
  if (candidates !== null) return surviving(candidates, demands).length > 0;
  if (!strict.every((demand) => speaksOf(demand, kind))) return false;
  if (kind === "number") return !isEmpty(boundsOf(strict), demands);
  if (kind !== "string" && kind !== "array") return true;
  const { low, high } = lengthsOf(strict, kind);
  if (high === 0) return demands.every((demand) => mayMeet(demand, kind === "string" ? "" : []));
  return low <= high;
}

/** Whether any value, or a missing one, may satisfy all demands; false is certain. */
export function isPossible(demands: readonly Demand[]): boolean {
  return KINDS.some((kind) => mayBe(kind, demands));
}

/** An interval that contains every number that satisfies the demands; null where none does. */
export function numbersIn(demands: readonly Demand[]): Interval | null {
  if (!mayBe("number", demands)) return null;
  const strict = strictOn("number", demands);
  const bounds = boundsOf(strict);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const candidates = candidatesOf("number", strict);
  if (candidates === null) return bounds;
  for (const value of surviving(candidates, demands)) {
    if (typeof value !== "number") continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
}
