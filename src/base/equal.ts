import { memberCost, ownKeys, spend } from "./cost.js";
import { isJsonObject, type Json, type JsonObject } from "./json.js";

function equalLists(a: readonly Json[], b: readonly Json[]): boolean {
  if (a.length !== b.length) return false;
  spend(2 * a.length);
  return a.every((item, index) => deepEqual(item, b[index] ?? null));
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  spend(8);
  const keys = ownKeys(a);
  if (keys.length !== ownKeys(b).length) return false;
  spend(memberCost(keys.length));
  return keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key] ?? null, b[key] ?? null));
}

/** Equality of JSON values: deep, whatever the order of keys, and 1 equals 1.0. */
export function deepEqual(a: Json, b: Json): boolean {
  // Texts of one length are compared to their end.
  if (typeof a === "string") spend(a.length >> 6);
  if (a === b) return true;
  if (isJsonObject(a)) return isJsonObject(b) && equalObjects(a, b);
  // `Array.isArray` does not narrow a readonly list, `typeof` and the line above do.
  if (typeof a !== "object" || a === null) return false;
  return typeof b === "object" && b !== null && !isJsonObject(b) && equalLists(a, b);
}
