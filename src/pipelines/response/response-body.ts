import type { Json } from "../../base/json.js";
import { namedType, type Warn } from "./response-warnings.js";

/** Deeper values would exhaust the stack of whatever walks them; a cycle ends here too. */
const MAX_DEPTH = 100;
/** A few objects that share each other can expand to a huge tree; no real reply has this many values. */
const MOST_VALUES = 1_000_000;

interface Walk {
  /** The present place of the walk; after a throw, where it stopped. */
  readonly steps: (string | number)[];
  left: number;
  /** The last error that a value is not JSON. */
  refusal: Error | null;
}

function refuse(walk: Walk, what: string): never {
  walk.refusal = new Error(what);
  throw walk.refusal;
}

function demandPlain(value: object, prototype: object, walk: Walk): void {
  const found: unknown = Object.getPrototypeOf(value);
  if (found !== prototype && (found !== null || Array.isArray(value))) refuse(walk, "an instance of a class");
}

/** Charged before a value is copied; texts and numbers of the reply itself cost nothing. */
function charge(size: number, walk: Walk): void {
  // A proxy may return any length, even one that is not a number.
  if (!(size >= 0 && size < walk.left)) refuse(walk, "more values than a reply may hold");
  walk.left -= 1 + size;
}

function copyAt(holder: object, key: string | number, walk: Walk): Json | undefined {
  walk.steps.push(key);
  const value: unknown = Reflect.get(holder, key);
  // As on the wire: a member that is undefined is not sent.
  const copy = value === undefined && !Array.isArray(holder) ? undefined : copyValue(value, walk);
  walk.steps.pop();
  return copy;
}

function copyList(list: readonly unknown[], walk: Walk): Json {
  demandPlain(list, Array.prototype, walk);
  const { length } = list;
  charge(length, walk);
  const copy: Json[] = [];
  for (let index = 0; index < length; index++) copy.push(copyAt(list, index, walk) ?? null);
  return copy;
}

function copyObject(object: object, walk: Walk): Json {
  demandPlain(object, Object.prototype, walk);
  const keys = Object.keys(object);
  charge(keys.length, walk);
  const entries: [string, Json][] = [];
  for (const key of keys) {
    const copy = copyAt(object, key, walk);
    if (copy !== undefined) entries.push([key, copy]);
  }
  return Object.fromEntries(entries);
}

function copyValue(value: unknown, walk: Walk): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) refuse(walk, "a number that is not finite");
    return value === 0 ? 0 : value; // JSON has no -0
  }
  if (typeof value !== "object") refuse(walk, namedType(value));
  if (walk.steps.length > MAX_DEPTH) refuse(walk, "a value that is nested too deeply or contains itself");
  return Array.isArray(value) ? copyList(value, walk) : copyObject(value, walk);
}

/** Runs a step of the walk; any error becomes a finding at the present place. */
function attempt<T>(step: () => T, walk: Walk, warn: Warn): T | undefined {
  try {
    return step();
  } catch (cause) {
    // A getter or a proxy of the agent may throw anything, even a value that throws when it is read.
    const { refusal } = walk;
    const found = refusal !== null && cause === refusal ? refusal.message : "a value that cannot be read";
    warn("not_json", walk.steps, { found });
    walk.steps.length = 0;
    return undefined;
  }
}

function keysOf(body: object, walk: Walk): readonly string[] | null {
  if (Array.isArray(body)) return null;
  demandPlain(body, Object.prototype, walk);
  return Object.keys(body);
}

/**
 * Copies the members of a reply as plain JSON: the agent's objects are read once and never changed. A member that is not JSON is
 * left out, so that the others can still be judged; null if there is no reply at all.
 */
export function readBody(body: unknown, warn: Warn): Map<string, Json> | null {
  const walk: Walk = { steps: [], left: MOST_VALUES, refusal: null };
  const isObject = typeof body === "object" && body !== null;
  const keys = isObject ? attempt(() => keysOf(body, walk), walk, warn) : null;
  if (keys === null) warn("not_an_object", [], { found: namedType(body) });
  if (!isObject || keys === null || keys === undefined) return null;
  const parts = new Map<string, Json>();
  for (const key of keys) {
    const copy = attempt(() => copyAt(body, key, walk), walk, warn);
    if (copy !== undefined) parts.set(key, copy);
  }
  return parts;
}
