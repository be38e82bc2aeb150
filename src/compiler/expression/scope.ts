import type { Json } from "../../base/json.js";

/** What a slot holds: one value, a map by keys (nested to a depth), or the distinct values of all calls. */
export type SlotShape =
  | { readonly kind: "plain" }
  | { readonly kind: "keyed"; readonly depth: number }
  | { readonly kind: "union" };

/** What the expressions of a pack may name beside their `let`s; null where a broken file may declare more. */
export interface Surroundings {
  readonly slots: ReadonlyMap<string, SlotShape> | null;
  readonly constants: ReadonlyMap<string, Json> | null;
  /** Whether the session has a time zone; null where that is not known. */
  readonly hasTimezone: boolean | null;
}

/** What every expression may read. */
export const VARIABLE_NAMES = ["args", "principal", "slots", "constants", "labels", "tool", "now", "output"] as const;
