import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";

/** Thrown and caught in this file: the part of a value that is not JSON. */
class NotJson extends Error {
  constructor(readonly what: string) {
    super(what);
  }
}

/** How many lists and objects may lie in each other. More would exhaust the stack of whatever walks them; a cycle ends here too. */
const MAX_DEPTH = 100;

/** Lists that share their parts can be small and yet expand to a huge number of values. */
const MAX_VALUES = 2 ** 20;

/** Objects with more members are hash tables that take microseconds for each. */
const MAX_MEMBERS = 2 ** 16;

/** UTF-16 units of all texts and keys together; a shared text counts at each place. */
const MAX_TEXT = 2 ** 24;

/** How many more values, and how much more text, the present copy may have. */
let left = 0;
let textLeft = 0;

function spend(values: number, text: number): void {
  left -= values;
  if (left < 0) throw new NotJson(`more than ${MAX_VALUES} values`);
  textLeft -= text;
  if (textLeft < 0) throw new NotJson(`more than ${MAX_TEXT} characters of text`);
}

/** A value copied as plain JSON, or the part of it that is not JSON. */
export type PlainJson = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly what: string };

/** Whether a value other than a text is JSON without a change; -0 is not. */
function isPlainScalar(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && (value !== 0 || Object.is(value, 0));
  return typeof value === "boolean";
}

/** Counts before anything is copied, and no further than needed. */
function checkMembers(value: object): void {
  let members = 0;
  for (const _ in value) {
    members += 1;
    if (members > MAX_MEMBERS) throw new NotJson(`an object with more than ${MAX_MEMBERS} members`);
  }
}

/** Copies all properties at once, which is several times faster than one by one, then checks and corrects the copy. */
function copyObject(value: object, depth: number): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotJson("an instance of a class");
  checkMembers(value);
  const copy: Record<string, Json> = { ...value };
  if (Object.getOwnPropertySymbols(copy).length > 0) throw new NotJson("an object with a symbol as a key");
  // Its parent, or the beginning, has counted the object itself.
  let size = 0;
  let text = 0;
  for (const key in copy) {
    size += 1;
    text += key.length;
    const item: unknown = copy[key];
    if (typeof item === "string") {
      text += item.length;
      continue;
    }
    // If the prototype of all objects was extended, that is not part of the value.
    if (isPlainScalar(item) || !Object.hasOwn(copy, key)) continue;
    copy[key] = copyValue(item, depth + 1);
  }
  spend(size, text);
  return copy;
}

/** Copies by index: a list may have an iterator of its own, which may be endless or yield other values. */
function copyList(value: readonly unknown[], depth: number): Json {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new NotJson("an instance of a class");
  if (Object.getOwnPropertySymbols(value).length > 0) throw new NotJson("a list with a symbol as a key");
  // A proxy may return anything, and something else the next time.
  const length: unknown = value.length;
  if (typeof length !== "number" || !Number.isSafeInteger(length)) throw new NotJson("a list without a length");
  spend(length, 0);
  const copy: Json[] = [];
  for (let at = 0; at < length; at++) copy.push(copyValue(value[at], depth + 1));
  return copy;
}

function copyValue(value: unknown, depth: number): Json {
  switch (typeof value) {
    case "string":
      spend(0, value.length);
      return value;
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new NotJson("a number that is not finite");
      return value === 0 ? 0 : value;
    case "object":
      if (value === null) return null;
      if (depth >= MAX_DEPTH) throw new NotJson("a value that is nested too deeply or contains itself");
      if (Array.isArray(value)) return copyList(value, depth);
      return copyObject(value, depth);
    default:
      throw new NotJson(`${typeof value === "undefined" ? "an" : "a"} ${typeof value} value`);
  }
}

/** A getter or a proxy of the caller may throw anything, even a value on which `instanceof` throws. */
function whatOf(cause: unknown): string {
  try {
    if (cause instanceof NotJson) return cause.what;
  } catch {
    // Then it is not a NotJson.
  }
  return "a value that cannot be read";
}

/**
 * Copies a value as plain JSON, so that the caller cannot change afterwards what was judged. Nothing is dropped or converted:
 * a value that JSON cannot express is rejected.
 */
export function plainJson(value: unknown): PlainJson {
  // A getter of the value may itself copy values meanwhile.
  const outer = left;
  const outerText = textLeft;
  left = MAX_VALUES - 1;
  textLeft = MAX_TEXT;
  try {
    return { ok: true, value: copyValue(value, 0) };
  } catch (cause) {
    return { ok: false, what: whatOf(cause) };
  } finally {
    left = outer;
    textLeft = outerText;
  }
}

/** Values with more than this are copied like any other, which counts exactly. */
const FEW = { depth: 50, values: 10_000, text: 1_000_000 };

/**
 * Whether a value is so small that no limit of `plainJson` is near, and has neither -0, which is not JSON's, nor an infinite number, as
 * which a number beyond the range of doubles is parsed.
 */
function isSmall(value: Json, depth: number): boolean {
  if (typeof value === "string") {
    textLeft -= value.length;
    return textLeft >= 0;
  }
  if (typeof value === "number") return isPlainScalar(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth > FEW.depth) return false;
  return isJsonObject(value) ? hasFewMembers(value, depth) : hasFewItems(value, depth);
}

function hasFewMembers(value: JsonObject, depth: number): boolean {
  for (const key in value) {
    left -= 1;
    textLeft -= key.length;
    const item = value[key];
    if (left < 0 || textLeft < 0 || item === undefined || !isSmall(item, depth + 1)) return false;
  }
  return true;
}

function hasFewItems(value: readonly Json[], depth: number): boolean {
  left -= value.length;
  if (left < 0) return false;
  for (const item of value) if (!isSmall(item, depth + 1)) return false;
  return true;
}

/** The same for what `JSON.parse` returned and nobody changes: it is not copied. */
export function parsedJson(value: Json): PlainJson {
  left = FEW.values;
  textLeft = FEW.text;
  return isSmall(value, 0) ? { ok: true, value } : plainJson(value);
}
