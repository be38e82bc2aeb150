import { MOST_NAME_BYTES } from "./check-input.js";

/** The order of the UTF-8 bytes, which is that of the code points. JavaScript compares UTF-16 units, which is another. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * No name that begins with the prefix comes after this text: behind the prefix it has as many of the last code point as
 * would fill a name. So a list by prefix is a range, which every engine finds by its index.
 */
export function lastWithPrefix(prefix: string): string {
  return prefix + "\u{10ffff}".repeat(MOST_NAME_BYTES / 4);
}
