import { HashedTexts } from "../../../base/cost.js";
import type { Json } from "../../../base/json.js";
import type { SlotKey, SlotMap } from "../../expression/slot-reader.js";

export type { SlotMap } from "../../expression/slot-reader.js";

type GrowingMap = Map<SlotKey, Json | GrowingMap>;

/** A map of entries by the keys after the first `skipped` ones. */
export function nestedMap(
  entries: Iterable<{ readonly keys: readonly SlotKey[]; readonly value: Json }>,
  skipped: number,
): SlotMap {
  const root: GrowingMap = new Map();
  const hashed = new HashedTexts();
  for (const { keys, value } of entries) {
    for (const key of keys) if (typeof key === "string") hashed.add(key);
    let map = root;
    for (let at = skipped; at < keys.length - 1; at++) {
      const key = keys[at] ?? "";
      const known = map.get(key);
      const inner: GrowingMap = known instanceof Map ? known : new Map();
      map.set(key, inner);
      map = inner;
    }
    map.set(keys.at(-1) ?? "", value);
  }
  return root;
}
