import { type CodePointRange, type CodePointSet, codePointSet, complement, LAST_CODE_POINT } from "./code-point-set.js";

/** Ranges within which neighbours do not form surrogate pairs. */
const PARTS: readonly CodePointRange[] = [
  { from: 0, to: 0xdbff },
  { from: 0xdc00, to: 0xdfff },
  { from: 0xe000, to: LAST_CODE_POINT },
];

/** All code points of a part in a row. */
function textOf({ from, to }: CodePointRange): string {
  const units = new Uint16Array(2 * (to + 1 - from));
  let count = 0;
  for (let codePoint = from; codePoint <= to; codePoint++) {
    if (codePoint <= 0xffff) units[count++] = codePoint;
    else {
      units[count++] = 0xd800 + ((codePoint - 0x10000) >> 10);
      units[count++] = 0xdc00 + ((codePoint - 0x10000) & 0x3ff);
    }
  }
  return Buffer.from(units.buffer, 0, 2 * count).toString("utf16le");
}

function rangesIn(part: CodePointRange, raw: string): readonly CodePointRange[] {
  // All characters above the first plane are two units long, all others one.
  const codePointAt = (unit: number) =>
    unit <= 0xffff - part.from ? part.from + unit : wideCodePoint(part.from, unit);
  return [...textOf(part).matchAll(new RegExp(`${raw}+`, "gu"))].map(({ index, 0: found }) => ({
    from: codePointAt(index),
    to: codePointAt(index + found.length) - 1,
  }));
}

function wideCodePoint(from: number, unit: number): number {
  const narrow = 0x10000 - from;
  return 0x10000 + (unit - narrow) / 2;
}

const tables = new Map<string, CodePointSet>();

/** `\P{L}` is the complement of `\p{L}`, so that one search is enough for both. */
function buildTable(raw: string): CodePointSet {
  if (raw.startsWith("\\P")) return complement(propertyTable(`\\p${raw.slice(2)}`));
  return codePointSet(PARTS.flatMap((part) => rangesIn(part, raw)));
}

/** The code points of a unicode property in this Node.js; takes some milliseconds the first time. */
export function propertyTable(raw: string): CodePointSet {
  const known = tables.get(raw);
  if (known !== undefined) return known;
  const table = buildTable(raw);
  tables.set(raw, table);
  return table;
}
