import { spend } from "./cost.js";
import { isJsonList, type Json } from "./json.js";

/** Code points of a string, items of a list. */
export function lengthOf(value: Json): number | null {
  if (isJsonList(value)) return value.length;
  return typeof value === "string" ? codePoints(value) : null;
}

/** Whether a text has fewer code points than a count (negative), just as many, or more; most texts need no counting. */
export function compareLength(text: string, count: number): number {
  if (text.length < count) return -1;
  // A code point takes two units at most.
  if (text.length > 2 * count) return 1;
  return codePoints(text) - count;
}

function codePoints(value: string): number {
  spend(value.length >> 1);
  let length = value.length;
  for (let at = 0; at < value.length - 1; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = value.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) length -= 1;
  }
  return length;
}
