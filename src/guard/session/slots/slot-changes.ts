import type { CompiledKey } from "../../../artifact/compiled.js";
import { canonicalKey } from "../../../base/canonical-json.js";
import { spend, withinBudget } from "../../../base/cost.js";
import type { Json } from "../../../base/json.js";
import type { SlotKey } from "../../expression/slot-reader.js";
import type { CollectionEffects } from "../../program/tool-effects.js";
import { readDefinite } from "../../values/read-path.js";
import { matchesOf } from "../../values/read-value.js";
import { inRecordedOrder } from "../../values/recorded-order.js";
import type { Binding } from "./slot-content.js";
import { isSlotKey, textOfKeys } from "./slot-key.js";

type Bind = CollectionEffects["binds"][number];

/** What bindings are read from; the output is undefined while it is not known, or lost. */
export interface Sources {
  readonly args: Json;
  readonly output: Json | undefined;
}

/** A place by its keys. */
export interface Place {
  readonly text: string;
  readonly keys: readonly SlotKey[];
}

/** What a bind, or an unbind, does with these sources. */
export type Change =
  | { readonly kind: "clear"; readonly keys: readonly SlotKey[] }
  | { readonly kind: "bind"; readonly bindings: readonly Binding[] }
  /** The value was not found, or cannot be known: only this place is concerned. */
  | { readonly kind: "unset"; readonly place: Place }
  /** It could have been any place of the slot. */
  | { readonly kind: "lost" };

const LOST: Change = { kind: "lost" };

function keyIn(key: CompiledKey, sources: Sources, match: Json | undefined): SlotKey | undefined {
  const [path, from] = "match" in key ? [key.match, match] : [key.path, sourceOf(key.source, sources)];
  if (from === undefined || path.kind !== "definite") return undefined;
  const value = readDefinite(path.steps, from);
  return isSlotKey(value) ? value : undefined;
}

function sourceOf(source: Bind["source"], { args, output }: Sources): Json | undefined {
  return source === "arguments" ? args : output;
}

/** The keys of a place; null if one of them is not found. */
function keysIn(keys: readonly CompiledKey[], sources: Sources, match: Json | undefined): readonly SlotKey[] | null {
  const found: SlotKey[] = [];
  for (const key of keys) {
    const value = keyIn(key, sources, match);
    if (value === undefined) return null;
    found.push(value);
  }
  return found;
}

/** Whether a bind or a key waits for the output. */
function readsOutput(keys: readonly CompiledKey[]): boolean {
  return keys.some((key) => "source" in key && key.source === "output");
}

/** Whether what a bind writes depends on the output. */
export function needsOutput({ source, key = [] }: Bind): boolean {
  return source === "output" || readsOutput(key);
}

/** Whether the place that an unbind clears depends on the output. */
export function unbindNeedsOutput({ key }: CollectionEffects["unbinds"][number]): boolean {
  return readsOutput(key);
}

/** The place that a bind writes, if the arguments alone say so; null otherwise. */
export function knownPlace({ path, key = [] }: Bind, args: Json): Place | null {
  const isKnown = key.length > 0 && path.kind === "definite" && !readsOutput(key);
  const keys = isKnown ? keysIn(key, { args, output: undefined }, undefined) : null;
  return keys === null ? null : placeOf(keys);
}

function placeOf(keys: readonly SlotKey[]): Place {
  return { keys, text: textOfKeys(keys) };
}

/** What is left of a bind whose output was lost, or lacks what it needs. */
export function lossOf(bind: Bind, args: Json): Change {
  const place = knownPlace(bind, args);
  return place === null ? LOST : { kind: "unset", place };
}

/** The text that tells a value of a union from the others; undefined if finding it takes too much work. */
export function textOfValue(value: Json): string | undefined {
  return withinBudget<string | undefined>(
    () => canonicalKey(value),
    () => undefined,
  );
}

function unionChange(values: readonly Json[]): Change {
  return { kind: "bind", bindings: values.map((value) => ({ text: canonicalKey(value), keys: [], value })) };
}

/** The cost of binding one value under its keys. */
const BIND_COST = 64;

/** What a bind does with a source that is there. */
function keyedChange(bind: Bind, sources: Sources, values: readonly Json[]): Change {
  const { key = [], path } = bind;
  if (path.kind === "definite" && values.length === 0) {
    const keys = keysIn(key, sources, undefined);
    return keys === null ? lossOf(bind, sources.args) : { kind: "unset", place: placeOf(keys) };
  }
  const bindings: Binding[] = [];
  for (const value of values) {
    spend(BIND_COST);
    const keys = keysIn(key, sources, value);
    if (keys === null) return lossOf(bind, sources.args);
    bindings.push({ ...placeOf(keys), value });
  }
  return { kind: "bind", bindings };
}

/** What a bind writes; values that take too much work to be found and told apart are lost. */
export function bindChange(bind: Bind, sources: Sources): Change {
  const source = sourceOf(bind.source, sources);
  if (source === undefined) return lossOf(bind, sources.args);
  return withinBudget<Change>(
    () => {
      // The order of matches decides what is forgotten first, and members have none of their own.
      const values = matchesOf(bind, bind.path.kind === "definite" ? source : inRecordedOrder(source));
      if (values === null) return lossOf(bind, sources.args);
      return bind.collect === "union" ? unionChange(values) : keyedChange(bind, sources, values);
    },
    () => lossOf(bind, sources.args),
  );
}

/** What an unbind clears. */
export function unbindChange({ key }: CollectionEffects["unbinds"][number], sources: Sources): Change {
  const keys = keysIn(key, sources, undefined);
  return keys === null ? LOST : { kind: "clear", keys };
}

/** Whether the output of a call decides which keys of a slot it changes. */
export function isWild({ unbinds, binds }: CollectionEffects, args: Json): boolean {
  return unbinds.some(unbindNeedsOutput) || binds.some((bind) => needsOutput(bind) && knownPlace(bind, args) === null);
}
