import { spend, workLeft } from "../../../base/cost.js";
import { OP, type PatternProgram } from "./program.js";

/** `\w` without the `i` flag is ASCII also in `u` mode. */
function isWord(codePoint: number): boolean {
  return (
    (codePoint >= 0x61 && codePoint <= 0x7a) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    codePoint === 0x5f
  );
}

/** Whether an assertion holds between two code points. */
function holds(kind: number, before: number, after: number): boolean {
  if (kind === OP.start) return before === NONE;
  if (kind === OP.end) return after === NONE;
  return (isWord(before) !== isWord(after)) === (kind === OP.boundary);
}

const NONE = -1;
const LAST_PLACE = 2 ** 31 - 2;
const NARROW = 256;
/** Measured: a step takes 5 to 8 ns. */
const UNITS_PER_STEP = 2;

/**
 * Runs one program on texts, all branches at once: at each code point every instruction runs at most once, and each run is
 * counted. So the cost of a text is its actual cost, never a bound, and is the same every time.
 */
export class ProgramRun {
  /** The characters to try on the next code point. */
  private readonly waiting: Int32Array;
  private waitingCount = 0;
  /** The instructions to continue from. */
  private readonly stack: Int32Array;
  private height = 0;
  /** The place at which an instruction was last entered. Places are numbered through all texts, so that nothing is cleared. */
  private readonly seen: Int32Array;
  private place = 0;
  private steps = 0;
  /** Whether a match can begin at the start of a text only. */
  private readonly isAnchored: boolean;
  /** One byte per class: whether a match can begin with it; null if that depends on the neighbours. */
  private readonly firsts: Uint8Array | null;

  constructor(private readonly program: PatternProgram) {
    const size = program.op.length;
    this.waiting = new Int32Array(size);
    this.stack = new Int32Array(size);
    this.seen = new Int32Array(size);
    this.isAnchored = !canBeginLater(program);
    this.firsts = this.isAnchored ? null : firstClasses(program);
  }

  /** Whether the text has a match; pays for every step, and throws if the budget is exceeded. */
  test(text: string): boolean {
    this.begin(text.length);
    const isFound = this.search(text, workLeft() / UNITS_PER_STEP);
    spend(this.steps * UNITS_PER_STEP);
    return isFound;
  }

  private begin(length: number): void {
    this.steps = 0;
    this.waitingCount = 0;
    this.height = 0;
    if (this.place + length < LAST_PLACE) return;
    this.seen.fill(0);
    this.place = 0;
  }

  private search(text: string, allowance: number): boolean {
    const { alphabet, entry } = this.program;
    let before = NONE;
    for (let at = 0; this.steps <= allowance; at += before > 0xffff ? 2 : 1) {
      this.place++;
      if (before !== NONE) {
        // Looking up the class of a character beyond Latin-1 is a search.
        this.steps += before < NARROW ? 3 : 6;
        this.consume(alphabet.classOf(before));
      }
      if (this.height === 0 && this.firsts !== null) at = this.skip(text, at, allowance);
      if (before === NONE || !this.isAnchored) this.push(entry);
      if (this.height === 0) return false;
      const after = at < text.length ? (text.codePointAt(at) ?? NONE) : NONE;
      if (this.follow(before, after)) return true;
      if (after === NONE) return false;
      before = after;
    }
    return false;
  }

  /** The next place where a match can begin. */
  private skip(text: string, from: number, allowance: number): number {
    const { alphabet } = this.program;
    for (let at = from; at < text.length && this.steps <= allowance; at++) {
      const codePoint = text.codePointAt(at) ?? NONE;
      this.steps += codePoint < NARROW ? 1 : 5;
      if (this.firsts?.[alphabet.classOf(codePoint)] === 1) return at;
      if (codePoint > 0xffff) at++;
    }
    return text.length;
  }

  private push(at: number): void {
    if (this.seen[at] === this.place) return;
    this.seen[at] = this.place;
    this.stack[this.height++] = at;
  }

  /** Continues from the characters that match a code point of a class. */
  private consume(charClass: number): void {
    const { next, other, bits, words } = this.program;
    const { waiting, waitingCount, seen, stack, place } = this;
    const word = charClass >> 5;
    const bit = 1 << (charClass & 31);
    let height = 0;
    for (let index = 0; index < waitingCount; index++) {
      const at = waiting[index] ?? 0;
      if (((bits[(other[at] ?? 0) * words + word] ?? 0) & bit) === 0) continue;
      const onward = next[at] ?? 0;
      if (seen[onward] === place) continue;
      seen[onward] = place;
      stack[height++] = onward;
    }
    this.height = height;
    this.steps += waitingCount;
  }

  /** Follows the instructions that consume nothing, up to the characters to try next; true if that is a match. */
  private follow(before: number, after: number): boolean {
    const { op, next, other } = this.program;
    const { waiting, seen, stack, place } = this;
    let { height, steps } = this;
    let count = 0;
    let isFound = false;
    while (height > 0 && !isFound) {
      const at = stack[--height] ?? 0;
      const kind = op[at] ?? OP.match;
      steps++;
      if (kind === OP.character) {
        waiting[count++] = at;
        continue;
      }
      isFound = kind === OP.match;
      const second = other[at] ?? 0;
      if (kind === OP.fork && seen[second] !== place) {
        seen[second] = place;
        stack[height++] = second;
      }
      const first = next[at] ?? 0;
      if (seen[first] === place || (kind !== OP.fork && !holds(kind, before, after))) continue;
      seen[first] = place;
      stack[height++] = first;
    }
    this.waitingCount = count;
    this.height = height;
    this.steps = steps;
    return isFound;
  }
}

/** The instructions that are reachable from the entry without consuming anything; word and end assertions may hold. */
function reachedAtOnce({ op, next, other, entry }: PatternProgram, isAtStart: boolean): ReadonlySet<number> {
  const known = new Set([entry]);
  for (const at of known) {
    const kind = op[at];
    if (kind === OP.character || kind === OP.match || (kind === OP.start && !isAtStart)) continue;
    known.add(next[at] ?? 0);
    if (kind === OP.fork) known.add(other[at] ?? 0);
  }
  return known;
}

function canBeginLater(program: PatternProgram): boolean {
  const kinds = [...reachedAtOnce(program, false)].map((at) => program.op[at]);
  return kinds.includes(OP.character) || kinds.includes(OP.match);
}

function firstClasses(program: PatternProgram): Uint8Array | null {
  const { op, other, bits, words, alphabet } = program;
  const firsts = new Uint8Array(alphabet.size);
  for (const at of reachedAtOnce(program, true)) {
    if (op[at] === OP.fork) continue;
    if (op[at] !== OP.character) return null;
    const set = (other[at] ?? 0) * words;
    for (let each = 0; each < alphabet.size; each++) {
      if ((((bits[set + (each >> 5)] ?? 0) >> (each & 31)) & 1) === 1) firsts[each] = 1;
    }
  }
  return firsts;
}
