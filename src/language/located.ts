import { invariant } from "../base/invariant.js";
import type { Json, JsonObject } from "../base/json.js";
import type { Span } from "../diagnostics/source.js";

/** The places of the parts of one mapping or list. */
export interface Places {
  readonly self: Span;
  readonly keys: ReadonlyMap<string, Span>;
  readonly values: ReadonlyMap<string, Span>;
}

const placesOf = new WeakMap<object, Places>();

/** Records the places of a mapping or list and of its entries. */
export function locate<T extends object>(container: T, places: Places): T {
  placesOf.set(container, places);
  return container;
}

/** The places of a container that a reader made. */
export function placesIn(container: object): Places {
  const places = placesOf.get(container);
  invariant(places !== undefined, "the container was read from a source");
  return places;
}

/** The span of a whole mapping or list. */
export function spanOf(container: object): Span {
  return placesIn(container).self;
}

/** The span of the value under a key or index, or of the container where it has no such entry. */
export function valueSpan<T extends object>(container: T, key: keyof T & (string | number)): Span {
  const places = placesIn(container);
  return places.values.get(String(key)) ?? places.self;
}

/** The span of a key itself, or of the container where it has no such key. */
export function keySpan<T extends object>(container: T, key: keyof T & string): Span {
  const places = placesIn(container);
  return places.keys.get(key) ?? places.self;
}

/** One entry of a mapping as a reader found it. */
export interface LocatedEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Json;
  readonly valueSpan: Span;
}

/** Builds a mapping without a prototype and records the places of its parts. */
export function locatedObject(self: Span, entries: readonly LocatedEntry[]): JsonObject {
  const object: Record<string, Json> = Object.create(null);
  const keys = new Map<string, Span>();
  const values = new Map<string, Span>();
  for (const entry of entries) {
    object[entry.key] = entry.value;
    keys.set(entry.key, entry.keySpan);
    values.set(entry.key, entry.valueSpan);
  }
  return locate(object, { self, keys, values });
}

/** Builds a list and records the places of its items. */
export function locatedList(
  self: Span,
  items: readonly { readonly value: Json; readonly span: Span }[],
): readonly Json[] {
  const values = new Map(items.map(({ span }, index) => [String(index), span]));
  return locate(
    items.map(({ value }) => value),
    { self, keys: new Map(), values },
  );
}
