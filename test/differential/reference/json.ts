import type { Json, JsonObject } from "../../../src/base/json.js";

export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function jsonType(value: Json): JsonType {
  if (value === null) return "null";
  if (isList(value)) return "array";
  if (typeof value === "object") return "object";
  return typeof value === "string" ? "string" : typeof value === "number" ? "number" : "boolean";
}

/** Sorted keys, no white space; two values are equal as JSON exactly when these texts are. */
export function canonical(value: Json): string {
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(",")}}`;
}

export function isSame(a: Json, b: Json): boolean {
  return canonical(a) === canonical(b);
}

const MAX_DEPTH = 100;

function isJson(value: unknown, depth: number): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  // A cycle is infinitely deep, so the limit of depth refuses it too.
  if (typeof value !== "object" || depth >= MAX_DEPTH) return false;
  // A key that is no text has no place in JSON, and it would travel unseen with what is sent.
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  // By index, because a list may bring an iterator of its own.
  if (Array.isArray(value))
    return Array.from({ length: value.length }, (_, at) => value[at]).every((item) => isJson(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isJson(item, depth + 1));
}

/** Whether a tool's answer is JSON; no answer at all counts as null. */
export function isJsonOutput(value: unknown): value is Json | undefined {
  return value === undefined || isJson(value, 0);
}

/** Decision 0007, check 0: a JSON object without anything that JSON cannot hold, at most 100 levels deep. */
export function isJsonArguments(value: unknown): value is JsonObject {
  return isJson(value, 0) && isObject(value);
}
