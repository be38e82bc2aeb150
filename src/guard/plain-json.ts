import type { Json } from "../base/json.js";

/** Thrown inside, and caught where a value enters: which part of it is not JSON. */
class NotJson extends Error {
  constructor(readonly what: string) {
    super(what);
  }
}

/** Deeper values would exhaust the stack of whatever walks them; a cycle ends here too. */
const MAX_DEPTH = 100;

/** A value copied as plain JSON, or the part of it that is none. */
export type PlainJson = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly what: string };

function copyObject(value: object, depth: number): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotJson("an object of a class");
  const copy: Record<string, Json> = {};
  const source: Record<string, unknown> = value as Record<string, unknown>; // a plain object, by its prototype
  for (const key of Object.keys(source)) {
    const item = copyValue(source[key], depth + 1);
    if (key === "__proto__") Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true });
    else copy[key] = item;
  }
  return copy;
}

function copyList(value: readonly unknown[], depth: number): Json {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new NotJson("an object of a class");
  return Array.from(value, (item) => copyValue(item, depth + 1));
}

function copyValue(value: unknown, depth: number): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new NotJson("a number that is not finite");
      return value === 0 ? 0 : value; // JSON has no -0
    case "object":
      if (value === null) return null;
      if (depth > MAX_DEPTH) throw new NotJson("a value nested too deep, or in itself");
      if (Array.isArray(value)) return copyList(value, depth);
      return copyObject(value, depth);
    default:
      throw new NotJson(`${typeof value === "undefined" ? "an" : "a"} ${typeof value} value`);
  }
}

/**
 * Copies a value as plain JSON: what was judged cannot be changed afterwards by whoever holds the original.
 * Nothing is dropped or converted on the way; what JSON cannot say is refused.
 */
export function plainJson(value: unknown): PlainJson {
  try {
    return { ok: true, value: copyValue(value, 0) };
  } catch (cause) {
    if (cause instanceof NotJson) return { ok: false, what: cause.what };
    // A getter or a proxy of the caller may throw anything.
    return { ok: false, what: "a value that cannot be read" };
  }
}
