import type { Json } from "../../../src/base/json.js";
import { AWAITED, type Entry, equals, type Found, found, fromJson, unjudgeable, type Value } from "./value.js";

/** Keys of different types are different keys. */
export type Key = string | number | boolean;

/**
 * Whether everything that was ever bound is still known: `awaited` where an output that has not arrived decides, `lost` where it
 * decides only what is found.
 */
export type Completeness = "complete" | "incomplete" | "awaited" | "lost";

export interface PlainSlot {
  readonly kind: "plain";
  readonly held:
    | { readonly kind: "set"; readonly value: Json }
    | { readonly kind: "unset" }
    | { readonly kind: "awaited" };
}

export interface KeyedEntry {
  readonly keys: readonly Key[];
  /** An awaited entry may be there or not, with any value. */
  readonly held: { readonly kind: "set"; readonly value: Json } | { readonly kind: "awaited" };
}

export interface KeyedSlot {
  readonly kind: "keyed";
  /** How many keys lead to a value. */
  readonly depth: number;
  readonly entries: readonly KeyedEntry[];
  readonly completeness: Completeness;
}

export interface UnionSlot {
  readonly kind: "union";
  /** The values that are there for certain. */
  readonly values: readonly Json[];
  readonly completeness: Completeness;
}

export type Slot = PlainSlot | KeyedSlot | UnionSlot;

type KeyedView = Extract<Value, { kind: "keyed" }>;

const FORGOTTEN = unjudgeable("the slot does not know everything that was bound");

/** What is said of something that was not found. */
function notFound(completeness: Completeness, otherwise: Found): Found {
  if (completeness === "incomplete") return FORGOTTEN;
  return completeness === "complete" ? otherwise : AWAITED;
}

/** What is said of a slot as a whole. */
function asWhole(completeness: Completeness, known: Found): Found {
  return completeness === "lost" ? FORGOTTEN : notFound(completeness, known);
}

export function readSlot(name: string, slot: Slot | undefined): Found {
  if (slot === undefined) throw new Error(`no slot ${name}`);
  if (slot.kind === "keyed") return found({ kind: "keyed", slot, under: [] });
  if (slot.kind === "union") return found({ kind: "union", slot });
  if (slot.held.kind === "awaited") return AWAITED;
  return slot.held.kind === "set" ? found(fromJson(slot.held.value)) : unjudgeable(`slot ${name} is unset`);
}

/** Whether a plain slot is bound; the value null is bound too. */
export function isBound(slot: Slot | undefined): Found {
  if (slot?.kind !== "plain") return unjudgeable("has takes a plain slot");
  if (slot.held.kind === "awaited") return AWAITED;
  return found({ kind: "boolean", value: slot.held.kind === "set" });
}

/** The entries below a view. */
function below({ slot, under }: KeyedView): readonly KeyedEntry[] {
  return slot.entries.filter(({ keys }) => under.every((key, at) => key === keys[at]));
}

function keyOf(value: Value): Key | null {
  if (value.kind === "string" || value.kind === "boolean") return value.value;
  return value.kind === "number" ? Number(value.value.numerator) / Number(value.value.denominator) : null;
}

/** The entries under one more key; null where the value can be no key. */
function narrowed(
  view: KeyedView,
  key: Value,
): { readonly view: KeyedView; readonly own: readonly KeyedEntry[] } | null {
  const own = below(view).filter(({ keys }) => {
    const candidate = keys[view.under.length];
    return candidate !== undefined && equals(fromJson(candidate), key);
  });
  const known = own[0]?.keys[view.under.length] ?? keyOf(key);
  return known === null ? null : { view: { ...view, under: [...view.under, known] }, own };
}

const UNSET = unjudgeable("the key is unset");

/** What follows if there is something below the keys of a view; the slot itself is always there. */
function ifThere(view: KeyedView, then: Found): Found {
  const entries = below(view);
  if (view.under.length === 0 || entries.some(({ held }) => held.kind === "set")) return then;
  return entries.length > 0 ? AWAITED : UNSET;
}

/** Reading one key of a keyed slot: a value, or the map below. */
export function readKey(view: KeyedView, key: Value): Found {
  const next = narrowed(view, key);
  if (next === null) return unjudgeable("not a key");
  const { own } = next;
  if (next.view.under.length < view.slot.depth) return found(next.view);
  if (own.length === 0) return notFound(view.slot.completeness, UNSET);
  const [entry] = own;
  return entry?.held.kind === "set" ? found(fromJson(entry.held.value)) : AWAITED;
}

/** `key in slot`. */
export function hasKey(view: KeyedView, key: Value): Found {
  const next = narrowed(view, key);
  if (next === null) return unjudgeable("not a key");
  if (next.own.some(({ held }) => held.kind === "set")) return found({ kind: "boolean", value: true });
  if (next.own.length > 0) return AWAITED;
  return notFound(view.slot.completeness, ifThere(view, found({ kind: "boolean", value: false })));
}

/** `value in slot` of a union. */
export function hasValue({ values, completeness }: UnionSlot, value: Value): Found {
  const isThere = values.some((candidate) => equals(fromJson(candidate), value));
  if (isThere) return found({ kind: "boolean", value: true });
  return notFound(completeness, found({ kind: "boolean", value: false }));
}

function mapOf(entries: readonly KeyedEntry[], depth: number): Value {
  const outer = [...new Set(entries.flatMap(({ keys }) => keys.slice(depth, depth + 1)))];
  const members = outer.map((key): Entry => {
    const own = entries.filter(({ keys }) => keys[depth] === key);
    const [first] = own;
    const isLeaf = first !== undefined && first.keys.length === depth + 1;
    const value = isLeaf && first.held.kind === "set" ? fromJson(first.held.value) : mapOf(own, depth + 1);
    return { key: fromJson(key), value };
  });
  return { kind: "map", entries: members };
}

/** A slot as a whole, which only a slot can be of which everything is known; any other value is itself. */
export function whole(value: Value): Found {
  if (value.kind === "union") {
    return asWhole(value.slot.completeness, found({ kind: "list", items: value.slot.values.map(fromJson) }));
  }
  if (value.kind !== "keyed") return found(value);
  const entries = below(value);
  const known = entries.some(({ held }) => held.kind === "awaited")
    ? AWAITED
    : found(mapOf(entries, value.under.length));
  return asWhole(value.slot.completeness, ifThere(value, known));
}
