import { canonicalJson } from "../../base/canonical-json.js";
import { listingCost, memberCost, ownKeys, spend } from "../../base/cost.js";
import { BigNumber, compareNumbers, equalNumbers } from "../../base/exact-number.js";
import type { JsonObject } from "../../base/json.js";
import type { SlotKey } from "./slot-reader.js";
import { Duration, isList, isPlainObject, Timestamp, type Value, ValueMap } from "./value.js";

/** Deep equality over exact numbers; values of different kinds are unequal. Slots have been read. */
export function equalValues(a: Value, b: Value): boolean {
  if (typeof a === "string") spend(a.length >> 6);
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isList(a)) return isList(b) && equalLists(a, b);
  if (isPlainObject(a)) return isPlainObject(b) ? equalObjects(a, b) : b instanceof ValueMap && equalMixed(b, a);
  if (a instanceof ValueMap) return b instanceof ValueMap ? equalMaps(a, b) : isPlainObject(b) && equalMixed(a, b);
  if (a instanceof BigNumber) return b instanceof BigNumber && equalNumbers(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && equalNumbers(a.ms, b.ms);
  return a instanceof Duration && b instanceof Duration && equalNumbers(a.ms, b.ms);
}

function equalLists(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  spend(2 * a.length);
  return a.every((item, index) => equalValues(item, b[index] ?? null));
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const keys = ownKeys(a);
  spend(8 + listingCost(keys.length));
  const others = ownKeys(b).length;
  spend(listingCost(others));
  if (keys.length !== others) return false;
  spend(memberCost(keys.length));
  return keys.every((key) => Object.hasOwn(b, key) && equalValues(a[key] ?? null, b[key] ?? null));
}

function equalMaps({ entries: a }: ValueMap, { entries: b }: ValueMap): boolean {
  if (a.size !== b.size) return false;
  spend(memberCost(a.size));
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !equalValues(value, other)) return false;
  }
  return true;
}

function equalMixed({ entries }: ValueMap, object: JsonObject): boolean {
  const members = ownKeys(object).length;
  spend(listingCost(members));
  if (entries.size !== members) return false;
  spend(memberCost(entries.size));
  for (const [key, value] of entries) {
    if (typeof key !== "string" || !Object.hasOwn(object, key)) return false;
    if (!equalValues(value, object[key] ?? null)) return false;
  }
  return true;
}

const SURROGATES = 0xd800;

/** Equal parts of this length are passed at once: the engine compares them many times faster than one unit after the other. */
const PASSED_AT_ONCE = 1024;

/** Where two texts differ, or the shorter one ends. */
function firstDifference(a: string, b: string, length: number): number {
  let at = 0;
  while (at + PASSED_AT_ONCE <= length && a.slice(at, at + PASSED_AT_ONCE) === b.slice(at, at + PASSED_AT_ONCE)) {
    at += PASSED_AT_ONCE;
  }
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

/** The order of texts by code points. JavaScript compares UTF-16 units, in which surrogates come before the end of the first plane. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  spend(length >> 2);
  if (a === b) return 0;
  const at = firstDifference(a, b, length);
  if (at === length) return a.length - b.length;
  const x = a.charCodeAt(at);
  const y = b.charCodeAt(at);
  if (x < SURROGATES || y < SURROGATES) return x - y;
  return afterSurrogates(x) - afterSurrogates(y);
}

/** Moves surrogates behind all other units. */
function afterSurrogates(unit: number): number {
  return unit > 0xdfff ? unit - 0x2000 : unit + 0x2000;
}

/** The order of two values that have one; null if they have none. */
export function compareValues(a: Value, b: Value): number | null {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return compareNumbers(a.ms, b.ms);
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.ms, b.ms);
  const [x, y] = [numberOrNull(a), numberOrNull(b)];
  return x === null || y === null ? null : compareNumbers(x, y);
}

function numberOrNull(value: Value): number | BigNumber | null {
  return typeof value === "number" || value instanceof BigNumber ? value : null;
}

/** A text that equal values share and no others: lists of many values are compared by it. */
export function textOf(value: Value): string {
  spend(40);
  if (typeof value !== "object" || value === null) return canonicalJson(value);
  if (isList(value)) return `[${value.map(textOf).join(",")}]`;
  if (value instanceof BigNumber) return `${value.digits}e${value.exponent}`;
  if (value instanceof Timestamp) return `t${textOf(value.ms)}`;
  if (value instanceof Duration) return `d${textOf(value.ms)}`;
  if (value instanceof ValueMap) return membersText([...value.entries]);
  if (!isPlainObject(value)) return "";
  return membersText(ownKeys(value).map((key) => [key, value[key] ?? null]));
}

function membersText(members: readonly (readonly [SlotKey, Value])[]): string {
  spend(4 * memberCost(members.length) + 40 * members.length);
  const texts = members.map(([key, value]) => `${canonicalJson(key)}:${textOf(value)}`);
  return `{${texts.sort().join(",")}}`;
}
