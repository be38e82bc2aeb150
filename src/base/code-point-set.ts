/** An inclusive range of code points. */
export interface CodePointRange {
  readonly from: number;
  readonly to: number;
}

/** Code points as ranges. Invariant: sorted, neither overlapping nor adjacent. */
export type CodePointSet = readonly CodePointRange[];

/** The last code point of Unicode. */
export const LAST_CODE_POINT = 0x10ffff;

/** The empty set. */
export const NO_CODE_POINTS: CodePointSet = [];

/** Normalizes ranges, in any order and overlapping or not, to a set. */
export function codePointSet(ranges: readonly CodePointRange[]): CodePointSet {
  const sorted = ranges.toSorted((a, b) => a.from - b.from);
  const merged: CodePointRange[] = [];
  let open: CodePointRange | undefined;
  for (const range of sorted) {
    if (open === undefined) {
      open = range;
    } else if (range.from <= open.to + 1) {
      open = { from: open.from, to: Math.max(open.to, range.to) };
    } else {
      merged.push(open);
      open = range;
    }
  }
  if (open !== undefined) merged.push(open);
  return merged;
}

/** Every code point of any of the sets. */
export function union(...sets: readonly CodePointSet[]): CodePointSet {
  return codePointSet(sets.flat());
}

/** Every code point that is not in the set, surrogates included. */
export function complement(set: CodePointSet): CodePointSet {
  const gaps: CodePointRange[] = [];
  let next = 0;
  for (const { from, to } of set) {
    if (next < from) gaps.push({ from: next, to: from - 1 });
    next = to + 1;
  }
  if (next <= LAST_CODE_POINT) gaps.push({ from: next, to: LAST_CODE_POINT });
  return gaps;
}

/** Whether no code point is in two of the sets. */
export function areDisjoint(...sets: readonly CodePointSet[]): boolean {
  // Ranges of one set never overlap, so an overlap after sorting is one of two different sets.
  const sorted = sets.flat().sort((a, b) => a.from - b.from);
  let last = -1;
  for (const { from, to } of sorted) {
    if (from <= last) return false;
    last = to;
  }
  return true;
}
