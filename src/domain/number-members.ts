import { type Found, found, NONE, UNSURE } from "./found.js";
import { countBelow, isMultipleOf, multipleAt } from "./multiples.js";
import type { NumberPiece, Numbers } from "./numbers.js";

/** Multiples that are looked at one by one. */
const MOST_MULTIPLES = 2_000n;

const MOST = Number.MAX_VALUE;

/** Whether a number lies in a piece. */
export function isInPiece(value: number, piece: NumberPiece): boolean {
  const { low, high, isLowOpen, isHighOpen, step, avoid } = piece;
  if (isLowOpen ? value <= low : value < low) return false;
  if (isHighOpen ? value >= high : value > high) return false;
  if (step !== null && !isMultipleOf(value, step)) return false;
  return !avoid.some((other) => isMultipleOf(value, other));
}

export function holdsNumber({ pieces }: Numbers, value: number): boolean {
  return pieces.some((piece) => isInPiece(value, piece));
}

const bits = new DataView(new ArrayBuffer(8));

/** The next double above a finite one. */
export function nextAbove(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

/** The least double of a piece, as far as its range goes. */
function leastOf({ low, isLowOpen }: NumberPiece): number {
  if (low === Number.NEGATIVE_INFINITY) return -MOST;
  return isLowOpen ? nextAbove(low) : low;
}

function greatestOf({ high, isHighOpen }: NumberPiece): number {
  if (high === Number.POSITIVE_INFINITY) return MOST;
  return isHighOpen ? -nextAbove(-high) : high;
}

/** Numbers near the ends of a range, plain ones first. */
function* plainNumbers(least: number, greatest: number): Generator<number> {
  yield* [1, 10, 100, 2, 5, 0, -1];
  for (const places of [0, 1, 2, 3, 6]) {
    const power = 10 ** places;
    if (least > -MOST) yield* [Math.ceil(least * power) / power, (Math.ceil(least * power) + 1) / power];
    if (greatest < MOST) yield* [Math.floor(greatest * power) / power, (Math.floor(greatest * power) - 1) / power];
    yield* [1.5 / power, least / 2 + greatest / 2 + 1 / power];
  }
  yield* [least, greatest, least / 2 + greatest / 2, nextAbove(least)];
}

function fromRange(piece: NumberPiece): Found<number> {
  const [least, greatest] = [leastOf(piece), greatestOf(piece)];
  if (least > greatest) return NONE;
  for (const value of plainNumbers(least, greatest)) {
    if (Number.isFinite(value) && isInPiece(value, piece)) return found(value + 0);
  }
  if (least === greatest) return NONE;
  return piece.avoid.length === 0 ? found(least) : UNSURE;
}

function fromSteps(piece: NumberPiece): Found<number> {
  const { step } = piece;
  const [least, greatest] = [leastOf(piece), greatestOf(piece)];
  if (step === null || least > greatest) return NONE;
  const [first, last] = [-countBelow(-least, step), countBelow(greatest, step)];
  if (first > last) return NONE;
  const fits = (count: bigint): number | null => {
    if (count < first || count > last) return null;
    const value = multipleAt(count, step);
    return value !== null && isInPiece(value, piece) ? value + 0 : null;
  };
  // From the multiple that is nearest to 1 times the step, in both directions.
  const start = first > 1n ? first : last < 1n ? last : 1n;
  for (let away = 0n; away < MOST_MULTIPLES; away++) {
    if (start + away > last && start - away < first) return NONE;
    const value = fits(start + away) ?? fits(start - away);
    if (value !== null) return found(value);
  }
  return UNSURE;
}

/** Some number, plain ones first. */
export function someNumber({ pieces }: Numbers): Found<number> {
  let isSure = true;
  for (const piece of pieces) {
    const member = piece.step === null ? fromRange(piece) : fromSteps(piece);
    if (member.kind === "found") return member;
    if (member.kind === "unsure") isSure = false;
  }
  return isSure ? NONE : UNSURE;
}
