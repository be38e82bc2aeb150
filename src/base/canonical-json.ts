import { memberCost, ownKeys, spend } from "./cost.js";
import type { Json } from "./json.js";
import { sha256 } from "./sha256.js";

/** What a scalar costs to be written. */
const SCALAR_COST = 16;
/** A text costs by its length. One with lone surrogates costs more: each of them takes 40 to 100 ns to be escaped. */
const LONE_COST = 23;
/** Longer texts are searched for such surrogates before they are written. */
const LONG = 1024;

/** A text that is its own JSON, but for the quotes: most are, and finding that out takes half as long as writing them. */
const PLAIN = /^[ !#-[\]-~]*$/;

function textJson(text: string): string {
  spend(SCALAR_COST + text.length);
  if (text.length <= LONG && PLAIN.test(text)) return `"${text}"`;
  if (text.length > LONG && !text.isWellFormed()) spend(LONE_COST * text.length);
  const json = JSON.stringify(text);
  if (text.length <= LONG && json.length > 2 * text.length + 2) spend(LONE_COST * text.length);
  return json;
}

/** In the order of their UTF-16 units; mostly they are in it already. */
function inOrder(keys: readonly string[]): readonly string[] {
  let before = "";
  for (const key of keys) {
    if (key < before) return [...keys].sort();
    before = key;
  }
  return keys;
}

/** How objects with the same keys in the same order are written. */
interface Layout {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  /** What is written before the value of each: `{"a":`, then `,"b":`. */
  readonly heads: readonly string[];
  /** What writing the keys costs. */
  readonly cost: number;
}

/** By the number of their keys and the first of them: arguments of one tool mostly look alike. */
const layouts: Map<string, Layout>[] = [];
const MOST_LAYOUTS = 256;
/** Wider objects, and those with long keys, have none. */
const MOST_KEYS = 32;
const LONGEST_NAME = 64;

function newLayout(keys: readonly string[]): Layout | null {
  if (!keys.every((key) => key.length <= LONGEST_NAME && PLAIN.test(key))) return null;
  const sorted = inOrder(keys);
  const heads = sorted.map((key, at) => `${at === 0 ? "{" : ","}"${key}":`);
  return { keys, sorted, heads, cost: keys.reduce((sum, key) => sum + SCALAR_COST + key.length, 0) };
}

function isLayoutOf({ keys: known }: Layout, keys: readonly string[]): boolean {
  for (let at = 0; at < keys.length; at++) if (keys[at] !== known[at]) return false;
  return true;
}

/** The layout of an object with these keys; null if it is kept for none. */
function layoutOf(keys: readonly string[]): Layout | null {
  const first = keys[0];
  if (first === undefined || keys.length > MOST_KEYS) return null;
  const alike = layouts[keys.length];
  const known = alike?.get(first);
  if (known !== undefined && isLayoutOf(known, keys)) return known;
  const layout = newLayout(keys);
  if (layout === null) return null;
  if (alike === undefined || alike.size >= MOST_LAYOUTS) layouts[keys.length] = new Map([[first, layout]]);
  else alike.set(first, layout);
  return layout;
}

/** The text of an object with a layout; null if a member is undefined, which is left out. */
function laidOut(object: Readonly<Record<string, unknown>>, { sorted, heads, cost }: Layout): string | null {
  spend(cost);
  let text = "";
  for (let at = 0; at < sorted.length; at++) {
    const item = object[sorted[at] ?? ""];
    if (item === undefined) return null;
    text += heads[at] + canonicalJson(item);
  }
  return `${text}}`;
}

function membersJson(object: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  let text = "";
  for (const key of keys) {
    const item = object[key];
    if (item === undefined) continue;
    const member = `${textJson(key)}:${canonicalJson(item)}`;
    text = text === "" ? member : `${text},${member}`;
  }
  return text;
}

/** JSON with sorted keys and no white space: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    spend(8 * value.length);
    return `[${value.map(canonicalJson).join(",")}]`;
  }
  if (typeof value === "string") return textJson(value);
  if (typeof value !== "object" || value === null) {
    spend(SCALAR_COST);
    // A number is written as JSON writes it, in half the time.
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
    return JSON.stringify(value) ?? "null";
  }
  const keys = ownKeys(value);
  // Keys with the same beginning are compared to their ends.
  for (const key of keys) spend(key.length);
  spend(40 + 2 * memberCost(keys.length));
  const layout = layoutOf(keys);
  const text = layout === null ? null : laidOut(value as Readonly<Record<string, unknown>>, layout);
  if (text !== null) return text;
  return `{${membersJson(value as Readonly<Record<string, unknown>>, inOrder(keys))}}`;
}

/** Longer texts are stored as their hashes. */
const LONGEST_KEY = 256;

/** A text to store, however long it is: the same for the same text, and of bounded length. */
export function keptText(text: string): string {
  if (text.length <= LONGEST_KEY) return text;
  spend(text.length >> 1);
  return contentHash(text);
}

/** The key of a JSON value among those that a session remembers: equal values have equal keys, others do not. */
export function canonicalKey(value: unknown): string {
  return keptText(canonicalJson(value));
}

/** The value of a key; undefined where the key is only its hash. No JSON begins like a hash. */
export function valueOfKey(key: string): Json | undefined {
  return key.startsWith(HASH) ? undefined : JSON.parse(key);
}

/** How a content hash begins. */
const HASH = "sha256-";

/** The content hash of a text, in the spelling `sha256-<hex>`. */
export function contentHash(text: string): string {
  return `${HASH}${sha256(text)}`;
}
