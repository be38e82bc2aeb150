import type { Decimal } from "../base/decimal.js";
import { EVERYWHERE, type Range } from "../operators/value-set.js";
import { isMultiple, leastCommonMultiple } from "./multiples.js";

/** Numbers of a range, which are multiples of `step` unless that is null, and of none of `avoid`. Numbers are doubles, read as decimals. */
export interface NumberPiece extends Range {
  readonly step: Decimal | null;
  readonly avoid: readonly Decimal[];
}

/** The numbers of any piece. */
export interface Numbers {
  readonly pieces: readonly NumberPiece[];
  /** False where it may hold more numbers than meant. */
  readonly isExact: boolean;
}

export const NO_NUMBERS: Numbers = { pieces: [], isExact: true };
export const ALL_NUMBERS: Numbers = { pieces: [{ ...EVERYWHERE, step: null, avoid: [] }], isExact: true };

/** A union of more pieces is replaced by its hull. */
const MOST_PIECES = 20_000;

/** Whether no double lies in a range; `false` also where steps leave none. */
function isBlank({ low, high, isLowOpen, isHighOpen }: Range): boolean {
  return low > high || (low === high && (isLowOpen || isHighOpen || !Number.isFinite(low)));
}

function isPlain({ step, avoid }: NumberPiece): boolean {
  return step === null && avoid.length === 0;
}

/** Whether one range begins before another one. */
function beginsBefore(a: Range, b: Range): boolean {
  return a.low < b.low || (a.low === b.low && !a.isLowOpen && b.isLowOpen);
}

function byBeginning(a: Range, b: Range): number {
  return beginsBefore(a, b) ? -1 : beginsBefore(b, a) ? 1 : 0;
}

/** Whether a range ends after another one. */
function endsAfter(a: Range, b: Range): boolean {
  return a.high > b.high || (a.high === b.high && !a.isHighOpen && b.isHighOpen);
}

function withLow(range: NumberPiece, { low, isLowOpen }: Range): NumberPiece {
  return { ...range, low, isLowOpen };
}

function withHigh<T extends Range>(range: T, { high, isHighOpen }: Range): T {
  return { ...range, high, isHighOpen };
}

/** Ranges in order, those that touch as one. */
function merged(plain: readonly NumberPiece[]): readonly NumberPiece[] {
  const found: NumberPiece[] = [];
  for (const piece of [...plain].sort(byBeginning)) {
    const last = found.at(-1);
    const touches =
      last !== undefined &&
      (piece.low < last.high || (piece.low === last.high && !(piece.isLowOpen && last.isHighOpen)));
    if (!touches) found.push(piece);
    else if (endsAfter(piece, last)) found[found.length - 1] = withHigh(last, piece);
  }
  return found;
}

/** The pieces, simplified; more than can be kept become one range around all of them. */
function numbers(pieces: readonly NumberPiece[], isExact: boolean): Numbers {
  const filled = pieces.filter((piece) => !isBlank(piece));
  if (filled.length === 0 && isExact) return NO_NUMBERS;
  const all = [...merged(filled.filter(isPlain)), ...filled.filter((piece) => !isPlain(piece))];
  const [first] = all;
  if (all.length <= MOST_PIECES || first === undefined) return { pieces: all, isExact };
  const hull = all.reduce((wide, piece) => {
    const lower = beginsBefore(piece, wide) ? withLow(wide, piece) : wide;
    return endsAfter(piece, lower) ? withHigh(lower, piece) : lower;
  }, first);
  return { pieces: [{ ...hull, step: null, avoid: [] }], isExact: false };
}

/** The numbers of a range. */
export function numbersIn(range: Range, step: Decimal | null = null): Numbers {
  return numbers([{ ...range, step, avoid: [] }], true);
}

/** These numbers and no other. */
export function numbersListed(values: readonly number[]): Numbers {
  const point = (at: number): NumberPiece => ({ ...EVERYWHERE, low: at, high: at, step: null, avoid: [] });
  return numbers(values.map(point), true);
}

function intersectPieces(a: NumberPiece, b: NumberPiece): NumberPiece {
  const start = beginsBefore(a, b) ? withLow(a, b) : a;
  const both = endsAfter(a, b) ? withHigh(start, b) : start;
  const step = a.step === null || b.step === null ? (a.step ?? b.step) : leastCommonMultiple(a.step, b.step);
  const avoid = [...a.avoid, ...b.avoid];
  // Whatever is a multiple of the step is a multiple of what divides it.
  const isEmpty = step !== null && avoid.some((other) => isMultiple(step, other));
  return isEmpty ? { ...both, low: 1, high: 0 } : { ...both, step, avoid };
}

/** The same of ranges in order, in one pass. */
function intersectPlain(a: Numbers, b: Numbers): Numbers {
  const found: NumberPiece[] = [];
  for (let [at, other] = [0, 0]; ; ) {
    const [one, two] = [a.pieces[at], b.pieces[other]];
    if (one === undefined || two === undefined) return numbers(found, a.isExact && b.isExact);
    const both = intersectPieces(one, two);
    if (!isBlank(both)) found.push(both);
    if (endsAfter(one, two)) other += 1;
    else at += 1;
  }
}

export function intersectNumbers(a: Numbers, b: Numbers): Numbers {
  if (a === ALL_NUMBERS || b === NO_NUMBERS) return b;
  if (b === ALL_NUMBERS || a === NO_NUMBERS) return a;
  if (a.pieces.every(isPlain) && b.pieces.every(isPlain)) return intersectPlain(a, b);
  const pieces = a.pieces.flatMap((one) =>
    b.pieces.flatMap((other) => {
      const both = intersectPieces(one, other);
      return isBlank(both) ? [] : [both];
    }),
  );
  return numbers(pieces, a.isExact && b.isExact);
}

export function uniteNumbers(a: Numbers, b: Numbers): Numbers {
  if (a === ALL_NUMBERS || b === NO_NUMBERS) return a;
  if (b === ALL_NUMBERS || a === NO_NUMBERS) return b;
  return numbers([...a.pieces, ...b.pieces], a.isExact && b.isExact);
}

/** What lies between ranges in order. */
function gapsOf(plain: readonly NumberPiece[]): Numbers {
  const gaps: NumberPiece[] = [];
  let open: NumberPiece | null = { ...EVERYWHERE, step: null, avoid: [] };
  for (const { low, high, isLowOpen, isHighOpen } of plain) {
    if (open === null) break;
    gaps.push({ ...open, high: low, isHighOpen: !isLowOpen });
    open = high === Number.POSITIVE_INFINITY ? null : { ...open, low: high, isLowOpen: !isHighOpen };
  }
  return numbers(open === null ? gaps : [...gaps, open], true);
}

/** All numbers that a piece with steps lacks. */
function lackedBy(piece: NumberPiece): Numbers {
  const { step, avoid } = piece;
  const within = { ...piece, step: null, avoid: [] };
  return numbers(
    [
      ...gapsOf([within]).pieces,
      ...(step === null ? [] : [{ ...within, avoid: [step] }]),
      ...avoid.map((other) => ({ ...within, step: other })),
    ],
    true,
  );
}

/** All other numbers; where numbers are not known exactly, any number may be another. */
export function otherNumbers(set: Numbers): Numbers {
  const { pieces, isExact } = set;
  if (set === ALL_NUMBERS) return NO_NUMBERS;
  if (set === NO_NUMBERS) return ALL_NUMBERS;
  if (!isExact) return { ...ALL_NUMBERS, isExact: false };
  return pieces
    .filter((piece) => !isPlain(piece))
    .map(lackedBy)
    .reduce(intersectNumbers, gapsOf(pieces.filter(isPlain)));
}
