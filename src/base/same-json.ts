import { isJsonList, isJsonObject, type Json, type JsonObject } from "./json.js";

function hasSameMembers(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    const [value, same] = [one[name], Object.hasOwn(other, name) ? other[name] : undefined];
    return value !== undefined && same !== undefined && isSameJson(value, same);
  });
}

/** Whether two values are the same JSON, whatever the order of their members. */
export function isSameJson(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (isJsonList(one)) {
    return (
      isJsonList(other) && one.length === other.length && one.every((item, at) => isSameJson(item, other[at] ?? null))
    );
  }
  return isJsonObject(one) && isJsonObject(other) && hasSameMembers(one, other);
}
