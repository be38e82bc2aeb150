import { canonicalJson } from "../base/canonical-json.js";
import { isJsonList, type Json } from "../base/json.js";

/** A set of lists, whose items are in domains of the type `D`, or of objects. */
export interface Compounds<D> {
  /** The values one by one, where they are listed; else null. */
  readonly listed: readonly Json[] | null;
  /** How many items a list has; of objects nothing is known. */
  readonly low: number;
  readonly high: number;
  /** What every item is; null for anything. */
  readonly items: D | null;
  /** Items that each list has. */
  readonly parts: readonly Json[];
  /** Values that are not in the set. */
  readonly except: readonly Json[];
  /** False where it may hold more values than meant. */
  readonly isExact: boolean;
}

export const ALL_COMPOUNDS: Compounds<never> = {
  listed: null,
  low: 0,
  high: Number.POSITIVE_INFINITY,
  items: null,
  parts: [],
  except: [],
  isExact: true,
};
export const NO_COMPOUNDS: Compounds<never> = { ...ALL_COMPOUNDS, listed: [] };
const SOME_COMPOUNDS: Compounds<never> = { ...ALL_COMPOUNDS, isExact: false };

export function compoundsListed(listed: readonly Json[]): Compounds<never> {
  return { ...ALL_COMPOUNDS, listed: distinctValues(listed) };
}

/** Values without repetitions. */
export function distinctValues(values: readonly Json[]): readonly Json[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

const texts = new WeakMap<readonly Json[], ReadonlySet<string>>();

function includes(values: readonly Json[], value: Json): boolean {
  const known = texts.get(values) ?? new Set(values.map(canonicalJson));
  texts.set(values, known);
  return known.has(canonicalJson(value));
}

/** Whether a value is in a set; null where that is not known. */
export function holdsCompound<D>(
  { listed, low, high, items, parts, except }: Compounds<D>,
  value: Json,
  isItem: (domain: D, item: Json) => boolean | null,
): boolean | null {
  if (listed !== null) return includes(listed, value);
  if (except.length > 0 && includes(except, value)) return false;
  if (!isJsonList(value)) return true;
  if (value.length < low || value.length > high || !parts.every((part) => includes(value, part))) return false;
  let isKnown = true;
  for (const item of items === null ? [] : value) {
    const holds = items === null ? true : isItem(items, item);
    if (holds === false) return false;
    if (holds === null) isKnown = false;
  }
  return isKnown ? true : null;
}

/** How domains are combined, passed in because lists have items that are domains too. */
export interface Items<D> {
  readonly intersect: (a: D, b: D) => D;
  readonly holds: (domain: D, item: Json) => boolean | null;
  readonly isExact: (domain: D) => boolean;
}

/** The values of a list that are in another set too, if need be some that may not be. */
function among<D>(listed: readonly Json[], other: Compounds<D>, { holds }: Items<D>, isExact: boolean): Compounds<D> {
  const judged = listed.map((value) => ({ value, holds: holdsCompound(other, value, holds) }));
  const kept = judged.filter((each) => each.holds !== false);
  const isSure = kept.every((each) => each.holds === true);
  return { ...ALL_COMPOUNDS, listed: kept.map(({ value }) => value), isExact: isExact && isSure };
}

export function intersectCompounds<D>(a: Compounds<D>, b: Compounds<D>, items: Items<D>): Compounds<D> {
  const isExact = a.isExact && b.isExact;
  if (a.listed !== null) return among(a.listed, b, items, isExact);
  if (b.listed !== null) return among(b.listed, a, items, isExact);
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)];
  if (low > high) return { ...NO_COMPOUNDS, isExact };
  const both = a.items === null || b.items === null ? (a.items ?? b.items) : items.intersect(a.items, b.items);
  const parts = distinctValues([...a.parts, ...b.parts]);
  const except = distinctValues([...a.except, ...b.except]);
  return {
    listed: null,
    low,
    high,
    items: both,
    parts,
    except,
    isExact: isExact && (both === null || items.isExact(both)),
  };
}

/** Whether a set says nothing but how many items there are. */
function isRange<D>({ listed, items, parts, except }: Compounds<D>): boolean {
  return listed === null && items === null && parts.length === 0 && except.length === 0;
}

export function uniteCompounds<D>(a: Compounds<D>, b: Compounds<D>): Compounds<D> {
  const isExact = a.isExact && b.isExact;
  if (a.listed?.length === 0) return { ...b, isExact };
  if (b.listed?.length === 0) return { ...a, isExact };
  if (a.listed !== null && b.listed !== null) return { ...compoundsListed([...a.listed, ...b.listed]), isExact };
  if (!isRange(a) || !isRange(b)) return SOME_COMPOUNDS;
  const [low, high] = [Math.min(a.low, b.low), Math.max(a.high, b.high)];
  // Two ranges that neither overlap nor touch leave a gap.
  const hasGap = Math.max(a.low, b.low) > Math.min(a.high, b.high) + 1;
  return { ...ALL_COMPOUNDS, low, high, isExact: isExact && !hasGap };
}

/** All other lists or objects, where that can be said. */
export function otherCompounds<D>(set: Compounds<D>): Compounds<D> {
  const { listed, low, high, isExact } = set;
  if (listed !== null && isExact) return listed.length === 0 ? ALL_COMPOUNDS : { ...ALL_COMPOUNDS, except: listed };
  const isAllBut = low === 0 && high === Number.POSITIVE_INFINITY && isRange({ ...set, except: [] });
  if (isExact && isAllBut && set.except.length > 0) return compoundsListed(set.except);
  if (!isExact || !isRange(set)) return SOME_COMPOUNDS;
  if (low === 0) return high === Number.POSITIVE_INFINITY ? NO_COMPOUNDS : { ...ALL_COMPOUNDS, low: high + 1 };
  return high === Number.POSITIVE_INFINITY ? { ...ALL_COMPOUNDS, high: low - 1 } : SOME_COMPOUNDS;
}
