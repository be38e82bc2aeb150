import { type CodePointSet, LAST_CODE_POINT } from "../../../base/code-point-set.js";

const NARROW = 256;

/** Classes of code points that no part of one pattern distinguishes. */
export class Alphabet {
  readonly size: number;
  /** The first code point of each class but the first one, rising. */
  private readonly bounds: Int32Array;
  private readonly narrow: Uint16Array;

  constructor(sets: readonly CodePointSet[]) {
    const bounds = new Set<number>();
    for (const { from, to } of sets.flat()) {
      if (from > 0) bounds.add(from);
      if (to < LAST_CODE_POINT) bounds.add(to + 1);
    }
    this.bounds = Int32Array.from(bounds).sort();
    this.size = this.bounds.length + 1;
    this.narrow = Uint16Array.from({ length: NARROW }, (_, codePoint) => this.search(codePoint));
  }

  classOf(codePoint: number): number {
    return codePoint < NARROW ? (this.narrow[codePoint] ?? 0) : this.search(codePoint);
  }

  /** One bit per class, in words of 32: those whose code points are in the set. */
  bitsOf(set: CodePointSet): Int32Array {
    const bits = new Int32Array((this.size + 31) >> 5);
    for (const { from, to } of set) {
      const last = this.search(to);
      for (let at = this.search(from); at <= last; at++) bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31));
    }
    return bits;
  }

  private search(codePoint: number): number {
    let low = 0;
    let high = this.bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.bounds[middle] ?? 0) <= codePoint) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
