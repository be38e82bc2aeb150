import type { Json } from "../base/json.js";
import type { Domain } from "./domain.js";
import { countBelow, multipleAt } from "./multiples.js";
import { isInPiece, someNumber } from "./number-members.js";
import type { NumberPiece, Numbers } from "./numbers.js";
import { someText } from "./text-members.js";

/** Numbers from `low` to `high`. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** At most this many multiples of one step are listed one by one. */
const MOST_MULTIPLES = 100n;

/** The first and the last count of a step in a piece; null where it has no end. */
function countsIn({ low, high, step }: NumberPiece): readonly [bigint, bigint] | null {
  if (step === null || !Number.isFinite(low) || !Number.isFinite(high)) return null;
  return [-countBelow(-low, step), countBelow(high, step)];
}

function endsOf(piece: NumberPiece): Interval {
  const { low, high, step } = piece;
  const multiples = [low, high].map((end, at) => {
    if (step === null || !Number.isFinite(end)) return end;
    const count = at === 0 ? -countBelow(-end, step) : countBelow(end, step);
    const isOpen = at === 0 ? piece.isLowOpen : piece.isHighOpen;
    const inside = isOpen && multipleAt(count, step) === end ? count + (at === 0 ? 1n : -1n) : count;
    return multipleAt(inside, step) ?? end;
  });
  return { low: multiples[0] ?? low, high: multiples[1] ?? high };
}

/** An interval that contains every number; null where there surely is none. */
export function endsOfNumbers(numbers: Numbers): Interval | null {
  if (someNumber(numbers).kind === "none") return null;
  const ends = numbers.pieces.map(endsOf);
  return {
    low: ends.reduce((least, { low }) => Math.min(least, low), Number.POSITIVE_INFINITY),
    high: ends.reduce((most, { high }) => Math.max(most, high), Number.NEGATIVE_INFINITY),
  };
}

function numbersOf(piece: NumberPiece): readonly number[] | null {
  if (piece.low === piece.high) return isInPiece(piece.low, piece) ? [piece.low] : [];
  const [first, last] = countsIn(piece) ?? [0n, MOST_MULTIPLES];
  if (piece.step === null || last - first >= MOST_MULTIPLES) return null;
  const found: number[] = [];
  for (let count = first; count <= last; count++) {
    const value = multipleAt(count, piece.step);
    if (value !== null && isInPiece(value, piece)) found.push(value);
  }
  return found;
}

/** All of the lists in one; null where one of them is not known. */
function joined<T>(lists: readonly (readonly T[] | null)[]): readonly T[] | null {
  const all: T[] = [];
  for (const list of lists) {
    if (list === null) return null;
    for (const each of list) all.push(each);
  }
  return all;
}

/** Every value of a domain, and perhaps some more; null where there are too many to list them. */
export function valuesOf({ few, numbers, texts, lists, objects }: Domain): readonly Json[] | null {
  const named: readonly (readonly Json[])[] = [
    few.has("null") ? [null] : [],
    few.has("true") ? [true] : [],
    few.has("false") ? [false] : [],
  ];
  const known =
    numbers.pieces.length === 0 ? [] : someNumber(numbers).kind === "none" ? [] : numbers.pieces.map(numbersOf);
  const written = texts.listed === null ? (someText(texts).kind === "none" ? [] : null) : [...texts.listed];
  return joined<Json>([...named, joined(known), written, lists.listed, objects.listed]);
}
