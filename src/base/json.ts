/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; readers make it without a prototype, so that no key of a user can reach inherited properties. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The kinds of value that JSON Schema and the `type` operator distinguish. */
export const TYPE_NAMES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
export type TypeName = (typeof TYPE_NAMES)[number];

/** True for an object that is neither a list nor null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a list; `Array.isArray` alone does not narrow a readonly one. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The type of a value in the words of JSON; an integer is a `number`. */
export function typeOf(value: Json): Exclude<TypeName, "integer"> {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** Whether a value is of a type as contracts name it. */
export function isOfType(value: Json, type: TypeName): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}
