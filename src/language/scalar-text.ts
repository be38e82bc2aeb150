import type { Span } from "../diagnostics/source.js";

/** For each character of a scalar's value, where it is in the source. */
interface Places {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const isBlank = (character: string | undefined) =>
  character === " " || character === "\t" || character === "\n" || character === "\r";

/** The single characters that a backslash stands for, beside those that it only quotes. */
const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A written unit of the source: what it stands for, and how long it is. */
interface Unit {
  readonly value: string;
  readonly length: number;
}

function escapeAt(text: string, at: number): Unit {
  const letter = text[at + 1] ?? "";
  const digits = HEX_DIGITS[letter];
  if (digits !== undefined) {
    const code = Number.parseInt(text.slice(at + 2, at + 2 + digits), 16);
    return { value: code <= 0x10ffff ? String.fromCodePoint(code) : "", length: 2 + digits };
  }
  // A backslash at the end of a line joins it to the next one.
  if (letter === "\n" || letter === "\r") return { value: "", length: 2 };
  return { value: ESCAPES[letter] ?? letter, length: 2 };
}

/** What is written at an offset; `style` is the first character of the scalar. */
function unitAt(text: string, at: number, style: string): Unit {
  const character = text[at] ?? "";
  if (style === '"' && character === "\\") return escapeAt(text, at);
  if (style === "'" && character === "'" && text[at + 1] === "'") return { value: "'", length: 2 };
  return { value: character, length: 1 };
}

/** The first character of the content: after the quote, or on the line after the header of a block. */
function contentStart({ source: { text }, start, end }: Span, style: string): number {
  if (style === '"' || style === "'") return start + 1;
  if (style !== "|" && style !== ">") return start;
  const line = text.indexOf("\n", start);
  return line < 0 ? end : line + 1;
}

/**
 * Follows the value through the source. White space is matched loosely, because indentation, folded lines and chomping change
 * it; everything else has to agree. Null where it does not, as for an alias.
 */
function follow(span: Span, value: string): Places | null {
  const { text } = span.source;
  const style = text[span.start] ?? "";
  const starts: number[] = [];
  const ends: number[] = [];
  let at = contentStart(span, style);
  while (starts.length < value.length) {
    const next = value[starts.length];
    const unit = at < span.end ? unitAt(text, at, style) : { value: "", length: 0 };
    if (unit.length > 0 && (unit.value === "" || (isBlank(unit.value) && !isBlank(next)))) {
      at += unit.length;
    } else if (unit.value !== "" && value.startsWith(unit.value, starts.length)) {
      for (const _ of unit.value.split("")) {
        starts.push(at);
        ends.push(at + unit.length);
      }
      at += unit.length;
    } else if (isBlank(next)) {
      starts.push(at);
      ends.push(at);
      // One line break may stand for another kind of white space.
      if (isBlank(unit.value)) at += unit.length;
    } else return null;
  }
  return { starts, ends };
}

/**
 * The way back from a text in a YAML file to its characters there, whatever kind of scalar it was written as. Where it cannot be
 * found, every part is at the place of the whole.
 */
export function scalarPlaces(span: Span, value: string): (start: number, end: number) => Span {
  let places: Places | null | undefined;
  return (start, end) => {
    if (places === undefined) places = follow(span, value);
    const last = end > start ? end - 1 : Math.min(start, value.length - 1);
    const from = places?.starts[Math.min(start, value.length - 1)];
    const to = places?.ends[last];
    if (from === undefined || to === undefined) return span;
    return { source: span.source, start: from, end: Math.max(from, to) };
  };
}
