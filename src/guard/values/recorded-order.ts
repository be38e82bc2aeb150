import { memberCost, ownKeys, spend } from "../../base/cost.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") < key);
}

function orderedMembers(object: JsonObject): JsonObject {
  const keys = ownKeys(object);
  spend(memberCost(keys.length));
  const members = keys.map((key): [string, Json] => [key, inRecordedOrder(object[key] ?? null)]);
  // Mostly they are, and nothing has to be copied.
  if (isSorted(keys) && members.every(([key, member]) => object[key] === member)) return object;
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function orderedElements(list: readonly Json[]): readonly Json[] {
  spend(list.length);
  const elements = list.map(inRecordedOrder);
  return elements.every((element, at) => element === list[at]) ? list : elements;
}

/**
 * The same value, with the members of its objects in the order in which a record gives them back: a wildcard reads them in
 * their order, and the state of a session must not depend on whether its guard made a call or read it from the log, nor on
 * whether there is a log. Recursive: JSON that was copied has at most 100 levels.
 */
export function inRecordedOrder(value: JsonObject): JsonObject;
export function inRecordedOrder(value: Json): Json;
export function inRecordedOrder(value: Json): Json {
  if (isJsonList(value)) return orderedElements(value);
  return isJsonObject(value) ? orderedMembers(value) : value;
}
