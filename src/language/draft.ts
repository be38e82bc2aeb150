import { invariant } from "../base/invariant.js";
import type { Json, JsonObject } from "../base/json.js";
import { fileSpan, type SourceFile } from "../diagnostics/source.js";
import { locate, locatedObject, type Places, placesIn } from "./located.js";

/** A contract of which only the well-shaped parts are left: any part may be missing. */
export type Draft<T> = T extends readonly (infer U)[]
  ? readonly Draft<U>[]
  : T extends object
    ? { readonly [K in keyof T]?: Draft<T[K]> }
    : T;

/** The keys from the root of a file to one of its values. */
export type Trail = readonly string[];

const damagedKeys = new WeakMap<object, Set<string>>();
const lostDrafts = new WeakSet<object>();

/** The draft of a file of which nothing could be used: every part of it counts as damaged. */
export function lostDraft<T>(source: SourceFile): Draft<T> {
  const draft = locatedObject(fileSpan(source), []);
  lostDrafts.add(draft);
  return draft as Draft<T>; // empty, and every part of a draft may be missing
}

/** Whether nothing of a file could be used. */
export function isLost(draft: object): boolean {
  return lostDrafts.has(draft);
}

function child(container: Json, key: string): Json | undefined {
  if (typeof container !== "object" || container === null) return undefined;
  return Array.isArray(container) ? container[Number(key)] : (container as JsonObject)[key]; // not a list, so a mapping
}

/** Remembers that something at or below a key of a container was wrong. */
export function markKeyDamaged(container: object, key: string): void {
  const keys = damagedKeys.get(container) ?? new Set<string>();
  damagedKeys.set(container, keys.add(key));
}

/** The same for each key of a trail. */
export function markDamaged(root: Json, trail: Trail): void {
  let container: Json | undefined = root;
  for (const key of trail) {
    if (typeof container !== "object" || container === null) return;
    markKeyDamaged(container, key);
    container = child(container, key);
  }
}

/** Whether a part was dropped at or below this key (or any key), so that rules must not conclude from its absence. */
export function isDamaged<T extends object>(container: T, key?: keyof T & string): boolean {
  if (isLost(container)) return true;
  const keys = damagedKeys.get(container);
  return key === undefined ? keys !== undefined : (keys?.has(key) ?? false);
}

/** A draft as a contract, in a pack without errors: nothing was dropped from it. */
export function assertWhole<T extends object>(draft: Draft<T>): T {
  const whole = draft as unknown as T; // the check below makes it true
  invariant(!isDamaged(whole), "only a pack without errors is analysed as a whole or lowered");
  return whole;
}

/** The value at a trail, as far as it exists. */
export function valueAt(root: Json, trail: Trail): Json | undefined {
  let value: Json | undefined = root;
  for (const key of trail) value = value === undefined ? undefined : child(value, key);
  return value;
}

/** Drops the values at the trails in place; the rest keeps its positions. */
export function prune(root: Json, trails: readonly Trail[]): void {
  const dropped = new Map<object, Set<string>>();
  for (const trail of trails) {
    const container = valueAt(root, trail.slice(0, -1));
    const key = trail.at(-1);
    if (key === undefined || typeof container !== "object" || container === null) continue;
    dropped.set(container, (dropped.get(container) ?? new Set()).add(key));
  }
  for (const [container, keys] of dropped) {
    if (Array.isArray(container)) pruneList(container, keys);
    else for (const key of keys) Reflect.deleteProperty(container, key);
  }
}

function pruneList(list: Json[], dropped: ReadonlySet<string>): void {
  const places = placesIn(list);
  const kept = list.map((_, index) => String(index)).filter((index) => !dropped.has(index));
  const values: Places["values"] = new Map(
    kept.map((index, at) => [String(at), places.values.get(index) ?? places.self]),
  );
  const items = list.filter((_, index) => !dropped.has(String(index)));
  list.length = 0;
  for (const item of items) list.push(item);
  locate(list, { ...places, values });
}
