import type { Range } from "./reader.js";

/** A name in a text, and what it stands for. */
export interface Replacement extends Range {
  readonly text: string;
}

/** Paths such as `slots.booking[args.id].status`, numbers and texts need no brackets around them. */
const SIMPLE = /^[0-9]+(?:\.[0-9]+)?$|^"[^"\\]*"$|^[A-Za-z_]\w*(?:\.\w+|\[[\w.]+\]|\["[^"\\]*"\])*$/;

function inBrackets(text: string): string {
  if (SIMPLE.test(text)) return text;
  // A comment goes on to the end of its line.
  return text.includes("//") ? `(${text}\n)` : `(${text})`;
}

/** A text with what its names stand for written out. */
export function writtenOut(text: string, replacements: readonly Replacement[]): string {
  const [only] = replacements;
  if (only !== undefined && text.trim().length === only.end - only.start) return only.text;
  let written = "";
  let from = 0;
  for (const { start, end, text: inner } of replacements.toSorted((a, b) => a.start - b.start)) {
    written += `${text.slice(from, start)}${inBrackets(inner)}`;
    from = end;
  }
  return `${written}${text.slice(from)}`.trim();
}
