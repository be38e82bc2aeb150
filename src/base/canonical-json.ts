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
    return JSON.stringify(value) ?? "null";
  }
  const keys = ownKeys(value);
  // Keys with the same beginning are compared to their ends.
  for (const key of keys) spend(key.length);
  spend(40 + 2 * memberCost(keys.length));
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
