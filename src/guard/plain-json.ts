import type { Json, JsonObject } from "../base/json.js";

/** Thrown inside, and caught where a value enters: which part of it is not JSON. */
class NotJson extends Error {
  constructor(readonly what: string) {
    super(what);
  }
}

/** Deeper values would exhaust the stack of whatever walks them; a cycle ends here too. */
const MAX_DEPTH = 100;

/** Lists that share their parts can be small and yet spell out to more values than there is time for. */
const MAX_VALUES = 2 ** 20;

/** How many more values the copy being made may have. */
let left = 0;

function spend(values: number): void {
  left -= values;
  if (left < 0) throw new NotJson(`more than ${MAX_VALUES} values`);
}

/** A value copied as plain JSON, or the part of it that is none. */
export type PlainJson = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly what: string };

/** Whether a value is JSON as it stands; -0 is not, JSON has none. */
function isPlainScalar(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && (value !== 0 || Object.is(value, 0));
  return typeof value === "string" || typeof value === "boolean";
}

/** Copies all properties at once, which is several times faster than one by one, then mends and judges the copy. */
function copyObject(value: object, depth: number): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotJson("an object of a class");
  const copy: Record<string, Json> = { ...value };
  let size = 1;
  for (const key in copy) {
    size += 1;
    const item: unknown = copy[key];
    // Somebody may have extended the prototype of all objects; that is no part of the value.
    if (isPlainScalar(item) || !Object.hasOwn(copy, key)) continue;
    copy[key] = copyValue(item, depth + 1);
  }
  spend(size);
  return copy;
}

function copyList(value: readonly unknown[], depth: number): Json {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new NotJson("an object of a class");
  spend(value.length);
  return Array.from(value, (item) => copyValue(item, depth + 1));
}

function copyValue(value: unknown, depth: number): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new NotJson("a number that is not finite");
      return value === 0 ? 0 : value;
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
 * Nothing that JSON can say is dropped or converted on the way; what it cannot say is refused.
 */
export function plainJson(value: unknown): PlainJson {
  left = MAX_VALUES;
  try {
    return { ok: true, value: copyValue(value, 0) };
  } catch (cause) {
    if (cause instanceof NotJson) return { ok: false, what: cause.what };
    // A getter or a proxy of the caller may throw anything.
    return { ok: false, what: "a value that cannot be read" };
  }
}
