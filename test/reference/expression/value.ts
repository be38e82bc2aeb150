import type { Json } from "../../../src/base/json.js";
import { compare, type Rational, readDecimal } from "./rational.js";
import type { Key, KeyedSlot, UnionSlot } from "./slots.js";

export interface Entry {
  readonly key: Value;
  readonly value: Value;
}

/** What a part of an expression may be. Times are exact seconds: since 1970, or of a length. */
export type Value =
  | { readonly kind: "null" }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "number"; readonly value: Rational }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "list"; readonly items: readonly Value[] }
  | { readonly kind: "map"; readonly entries: readonly Entry[] }
  | { readonly kind: "timestamp"; readonly seconds: Rational }
  | { readonly kind: "duration"; readonly seconds: Rational }
  /** A keyed slot, or what it has under some outer keys: a map of which not everything need be known. */
  | { readonly kind: "keyed"; readonly slot: KeyedSlot; readonly under: readonly Key[] }
  /** A list of which not everything need be known. */
  | { readonly kind: "union"; readonly slot: UnionSlot };

/** How the evaluation of a part ends: `awaited` depends on an output that has not arrived. */
export type Found =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "unjudgeable"; readonly why: string }
  | { readonly kind: "awaited" };

export type Failure = Exclude<Found, { readonly kind: "value" }>;

export const AWAITED: Failure = { kind: "awaited" };

export function unjudgeable(why: string): Failure {
  return { kind: "unjudgeable", why };
}

export const WRONG_KIND = unjudgeable("an operand of a wrong kind");

export function found(value: Value): Found {
  return { kind: "value", value };
}

export const NULL: Value = { kind: "null" };

export function boolean(value: boolean): Value {
  return { kind: "boolean", value };
}

export function number(value: Rational): Value {
  return { kind: "number", value };
}

export function string(value: string): Value {
  return { kind: "string", value };
}

export function list(items: readonly Value[]): Value {
  return { kind: "list", items };
}

/** A JSON value; a number is the decimal that its shortest text says. */
export function fromJson(json: Json): Value {
  if (json === null) return NULL;
  if (typeof json === "boolean") return boolean(json);
  if (typeof json === "string") return string(json);
  if (typeof json === "number") {
    const value = readDecimal(String(json));
    if (value === null) throw new Error(`JSON has no number ${json}`);
    return number(value);
  }
  if (Array.isArray(json)) return list(json.map(fromJson));
  // Equal objects are iterated alike.
  const members = Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = members.map(([key, value]) => ({ key: string(key), value: fromJson(value) }));
  return { kind: "map", entries };
}

/** Equal as values: deep, without regard to the order of keys; values of different kinds are unequal. */
export function equals(a: Value, b: Value): boolean {
  if (a.kind === "null") return b.kind === "null";
  if (a.kind === "boolean") return b.kind === "boolean" && a.value === b.value;
  if (a.kind === "string") return b.kind === "string" && a.value === b.value;
  if (a.kind === "number") return b.kind === "number" && compare(a.value, b.value) === 0;
  if (a.kind === "timestamp") return b.kind === "timestamp" && compare(a.seconds, b.seconds) === 0;
  if (a.kind === "duration") return b.kind === "duration" && compare(a.seconds, b.seconds) === 0;
  if (a.kind === "list") {
    if (b.kind !== "list" || a.items.length !== b.items.length) return false;
    return a.items.every((item, at) => equals(item, b.items[at] ?? NULL));
  }
  if (a.kind === "map") {
    if (b.kind !== "map" || a.entries.length !== b.entries.length) return false;
    return a.entries.every(({ key, value }) => {
      const other = entryOf(b.entries, key);
      return other !== undefined && equals(value, other.value);
    });
  }
  throw new Error("slots are compared by what they hold");
}

/** The entry under a key; keys of different kinds are different. */
export function entryOf(entries: readonly Entry[], key: Value): Entry | undefined {
  return entries.find((entry) => equals(entry.key, key));
}

/** Whether a value can be a key at all. */
export function isKey(value: Value): boolean {
  return value.kind === "string" || value.kind === "number" || value.kind === "boolean";
}
