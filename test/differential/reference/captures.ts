import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Key } from "../../reference/expression/slots.js";
import { type Bind, type KeyText, keysOf, type Unbind } from "./additions.js";
import { canonical } from "./json.js";
import { isDefinite, select } from "./select.js";

/** What a bind reads from: the arguments, and the output where one is known. */
export interface Sources {
  readonly arguments: JsonObject;
  readonly output: Json | undefined;
}

type Source = keyof Sources;

/** A key and its value. */
export interface Captured {
  readonly keys: readonly Key[];
  readonly value: Json;
}

/** Which source a key is read from; one that starts with `@` is read from the match, which comes from the bind's own source. */
function sourceOf(key: KeyText, own: Source): Source {
  return typeof key === "string" ? own : (key.source ?? own);
}

/** Whether all keys are known from the arguments alone. */
export function hasKnownKeys({ source = "arguments", key }: Pick<Bind, "source" | "key">): boolean {
  return keysOf(key).every((one) => sourceOf(one, source) === "arguments");
}

/** Whether nothing of a bind comes from the output. */
export function isOfArguments(bind: Bind): boolean {
  return (bind.source ?? "arguments") === "arguments" && hasKnownKeys(bind);
}

function isMatchKey(key: KeyText): key is string {
  return typeof key === "string" && key.startsWith("@");
}

function toKey(value: Json | undefined): Key | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function readKey(key: KeyText, own: Source, sources: Sources, match: Json | undefined): Key | null {
  if (isMatchKey(key)) return match === undefined ? null : toKey(select(`$${key.slice(1)}`, match)[0]);
  const from = sources[sourceOf(key, own)];
  return from === undefined ? null : toKey(select(typeof key === "string" ? key : key.path, from)[0]);
}

/** All keys for a match; null where one of them is not there or can be no key. */
export function readKeys(
  { source = "arguments", key }: Pick<Bind, "source" | "key"> | (Unbind & { readonly source?: never }),
  sources: Sources,
  match?: Json,
): readonly Key[] | null {
  const keys = keysOf(key).map((one) => readKey(one, source, sources, match));
  const known = keys.flatMap((one) => (one === null ? [] : [one]));
  return known.length === keys.length ? known : null;
}

/** The JSON value that a text says; undefined where it says none. */
function decoded(value: Json): Json | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** The values that a bind matches, decoded where it says so; null where one of them does not decode. */
export function matchesOf({ source = "arguments", path, decode }: Bind, sources: Sources): readonly Json[] | null {
  const from = sources[source];
  // Equal sources give the same matches in the same order.
  const matches = from === undefined ? [] : select(path, JSON.parse(canonical(from)));
  if (decode === undefined) return matches;
  const values = matches.map(decoded);
  const known = values.flatMap((value) => (value === undefined ? [] : [value]));
  return known.length === values.length ? known : null;
}

/** What a keyed bind captures; null where a key is missing or a text does not decode. */
export function captured(bind: Bind, sources: Sources): readonly Captured[] | null {
  const matches = matchesOf(bind, sources);
  if (matches === null) return null;
  // The key of a match that is not there is not there either.
  if (matches.length === 0 && isDefinite(bind.path) && keysOf(bind.key).some(isMatchKey)) return null;
  const pairs = matches.map((value) => ({ keys: readKeys(bind, sources, value), value }));
  const known = pairs.flatMap(({ keys, value }) => (keys === null ? [] : [{ keys, value }]));
  return known.length === pairs.length ? known : null;
}

/** Whether the arguments have all that a bind needs of them, so that the call need not be refused. */
export function isCapturable(bind: Bind, args: JsonObject): boolean {
  const sources: Sources = { arguments: args, output: undefined };
  const own = keysOf(bind.key).filter((key) => sourceOf(key, bind.source ?? "arguments") === "arguments");
  if (bind.source === "output") return readKeys({ key: own }, sources) !== null;
  const matches = matchesOf(bind, sources);
  if (matches === null) return false;
  if (bind.collect === "union") return true;
  if (matches.length === 0) return !isDefinite(bind.path) && readKeys(withoutMatch(own), sources) !== null;
  return matches.every((match) => readKeys({ key: own }, sources, match) !== null);
}

function withoutMatch(keys: readonly KeyText[]): { readonly key: readonly KeyText[] } {
  return { key: keys.filter((key) => !isMatchKey(key)) };
}

/** The same of an unbind, whose keys are of the arguments unless they say otherwise. */
export function isUnbindable({ key }: Unbind, args: JsonObject): boolean {
  const own = keysOf(key).filter((one) => sourceOf(one, "arguments") === "arguments");
  return readKeys({ key: own }, { arguments: args, output: undefined }) !== null;
}
