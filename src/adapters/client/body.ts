import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";

/** Whoever assigns the members of an object to another one changes what that inherits by a member of this name. */
const PROTOTYPE = "__proto__";
/** What a text has that may have such a member; its letters can be escaped. */
const MAY_HAVE_PROTOTYPE = /__proto__|\\u00/i;

function hasPrototype(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, PROTOTYPE) || Object.values(value).some(hasPrototype);
}

/** The body of a request or reply; null if it is no JSON object, or if readers do not agree on what its members are. */
export function parsedBody(text: string): JsonObject | null {
  try {
    // Made by JSON.parse.
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value)) return null;
    return MAY_HAVE_PROTOTYPE.test(text) && hasPrototype(value) ? null : value;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

/** The list at a member; an empty one if there is none. */
export function listAt(object: JsonObject | undefined, name: string): readonly Json[] {
  const value = object?.[name];
  return isJsonList(value) ? value : [];
}

/** The objects in the list at a member. */
export function objectsAt(object: JsonObject | undefined, name: string): readonly JsonObject[] {
  return listAt(object, name).filter(isJsonObject);
}

export function objectAt(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = object?.[name];
  return isJsonObject(value) ? value : undefined;
}

/** A text that is not empty. */
export function textAt(object: JsonObject | undefined, name: string): string | null {
  const value = object?.[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Whether a value can be a place in a list. */
export function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** A count of tokens; what is missing counts nothing. */
export function countAt(object: JsonObject | undefined, name: string): number {
  const value = object?.[name];
  return typeof value === "number" && value > 0 ? value : 0;
}

/** An object without some of its members. */
export function omitted(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The text of a content: the text itself, or the texts of its parts if it has no others; null if it has. */
export function plainText(content: Json): string | null {
  if (typeof content === "string") return content;
  if (!isJsonList(content)) return null;
  const texts = content.map((part) => (isJsonObject(part) && typeof part.text === "string" ? part.text : null));
  return texts.includes(null) ? null : texts.join("");
}
