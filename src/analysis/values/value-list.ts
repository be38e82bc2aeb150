import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonList, type Json } from "../../base/json.js";
import { type CapName, cut, most } from "../model/caps.js";

function sizeOf(value: Json, levels: number): number {
  if (typeof value === "string") return 1 + value.length / 100;
  if (typeof value !== "object" || value === null) return 1;
  if (levels === 0) return most("value_size");
  let size = 1;
  for (const child of isJsonList(value) ? value : Object.values(value)) {
    size += sizeOf(child, levels - 1);
    if (size >= most("value_size")) break;
  }
  return size;
}

/** Whether a value is small enough to be tried many times. */
export function isModest(value: Json): boolean {
  if (sizeOf(value, most("value_depth")) < most("value_size")) return true;
  cut("value_size");
  return false;
}

/** Equal values have equal keys. */
export function keyOf(value: Json): string {
  if (typeof value === "string") return `"${value}`;
  return typeof value === "object" && value !== null ? canonicalJson(value) : String(value);
}

/** The distinct values of a list without very large ones, up to a bound. */
export function distinct<T extends Json>(values: Iterable<T>, limit: CapName | null = null): readonly T[] {
  const longest = limit === null ? Number.POSITIVE_INFINITY : most(limit);
  const seen = new Map<string, T>();
  for (const value of values) {
    if (!isModest(value)) continue;
    const key = keyOf(value);
    if (seen.has(key)) continue;
    if (limit !== null && seen.size >= longest) {
      cut(limit);
      break;
    }
    seen.set(key, value);
  }
  return [...seen.values()];
}

/** One choice from each list, in every combination; the last list varies fastest. */
export function combinations<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (heads, list) => heads.flatMap((head) => list.map((item) => [...head, item])),
    [[]],
  );
}

/** How many combinations there are. */
export function combinationCount(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((count, list) => count * list.length, 1);
}
