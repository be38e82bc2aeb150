import type { Json, TypeName } from "../base/json.js";

/** The types of JSON values; an integer is a number. */
export type ValueType = Exclude<TypeName, "integer">;

export const ALL_TYPES: readonly ValueType[] = ["string", "number", "boolean", "object", "array", "null"];

/** From `low` to `high`; an open end is not part of it. */
export interface Range {
  readonly low: number;
  readonly high: number;
  readonly isLowOpen: boolean;
  readonly isHighOpen: boolean;
}

/** A description of a set of values: it covers all of them, and perhaps more. `src/domain` makes a domain of it. */
export interface ValueSet {
  readonly types: readonly ValueType[];
  /** Exactly the values of the set, where they can be listed; null elsewhere. */
  readonly values: readonly Json[] | null;
  readonly numbers: Range;
  /** What numbers must be a multiple of; null for nothing. */
  readonly step: number | null;
  /** Code points of strings, items of lists. */
  readonly lengths: { readonly string: Range; readonly array: Range };
  /** Patterns that strings must match. */
  readonly patterns: readonly string[];
  /** Parts of strings, items of lists. */
  readonly parts: readonly Json[];
  /** Values that are not in the set. */
  readonly except: readonly Json[];
  /** Whether it is exactly the set. */
  readonly isExact: boolean;
}

/** What is known about an operator without judging values. */
export interface Domain {
  /** The values that satisfy it. */
  readonly accepts: ValueSet;
  /** The types whose values it always judges: what it does not accept of them, surely fails it. It judges none of the others. */
  readonly judges: readonly ValueType[];
}

function range(ends: Partial<Range>): Range {
  return {
    low: Number.NEGATIVE_INFINITY,
    high: Number.POSITIVE_INFINITY,
    isLowOpen: false,
    isHighOpen: false,
    ...ends,
  };
}

/** From the least number to the greatest. */
export const EVERYWHERE = range({});

/** All values of some types. */
export function ofTypes(types: readonly ValueType[]): ValueSet {
  return {
    types,
    values: null,
    numbers: EVERYWHERE,
    step: null,
    lengths: { string: EVERYWHERE, array: EVERYWHERE },
    patterns: [],
    parts: [],
    except: [],
    isExact: true,
  };
}

/** The numbers of a range. */
export function ofNumbers(ends: Partial<Range>): ValueSet {
  return { ...ofTypes(["number"]), numbers: range(ends) };
}

/** The strings and lists whose length lies in a range. */
export function ofLengths(ends: Partial<Range>): ValueSet {
  return { ...ofTypes(["string", "array"]), lengths: { string: range(ends), array: range(ends) } };
}

/** Whether all values of a set are of some types. */
export function isOnly({ types }: ValueSet, ...allowed: readonly ValueType[]): boolean {
  return types.every((type) => allowed.includes(type));
}
