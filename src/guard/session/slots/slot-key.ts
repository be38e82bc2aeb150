import { keptText } from "../../../base/canonical-json.js";
import type { Json } from "../../../base/json.js";
import type { SlotKey } from "../../expression/slot-reader.js";

/** Whether a value can be a key. */
export function isSlotKey(value: Json | undefined): value is SlotKey {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The text of some keys, of bounded length; keys of different types have different texts. */
export function textOfKeys(keys: readonly SlotKey[]): string {
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0) return keptText(JSON.stringify(only));
  return keys.map((key) => keptText(JSON.stringify(key))).join();
}
