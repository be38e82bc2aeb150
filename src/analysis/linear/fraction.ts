import { decimalOf } from "../../base/decimal.js";

/** An exact number: `over` is above 0, and the two have no common divisor. */
export interface Fraction {
  readonly top: bigint;
  readonly over: bigint;
}

export const ZERO: Fraction = { top: 0n, over: 1n };
export const ONE: Fraction = { top: 1n, over: 1n };

function divisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export function fraction(top: bigint, over: bigint): Fraction {
  if (over === 1n) return { top, over };
  const [a, b] = over < 0n ? [-top, -over] : [top, over];
  const common = divisor(a, b);
  return common === 1n ? { top: a, over: b } : { top: a / common, over: b / common };
}

/** The decimal that a number of JSON is written as. */
export function exactly(value: number): Fraction {
  const { digits, exponent } = decimalOf(value);
  return exponent < 0
    ? fraction(digits, 10n ** BigInt(-exponent))
    : { top: digits * 10n ** BigInt(exponent), over: 1n };
}

export function plus(a: Fraction, b: Fraction): Fraction {
  if (a.over === b.over) return fraction(a.top + b.top, a.over);
  return fraction(a.top * b.over + b.top * a.over, a.over * b.over);
}

export const negative = ({ top, over }: Fraction): Fraction => ({
  top: -top,
  over,
});

export const minus = (a: Fraction, b: Fraction): Fraction => plus(a, negative(b));

export function times(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.top, a.over * b.over);
}

/** The divisor must not be 0. */
export function divided(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.over, a.over * b.top);
}

export function compare(a: Fraction, b: Fraction): number {
  const [x, y] = [a.top * b.over, b.top * a.over];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The largest whole number that is not larger. */
export function floor({ top, over }: Fraction): bigint {
  const whole = top / over;
  return top % over < 0n ? whole - 1n : whole;
}

export const isWhole = ({ over }: Fraction): boolean => over === 1n;

/** The nearest decimal with so many places that is not larger. */
export function floorAt(value: Fraction, places: number): Fraction {
  const scale = 10n ** BigInt(places);
  return fraction(floor(times(value, { top: scale, over: 1n })), scale);
}

/** The number of JSON nearest to a fraction; exact for decimals with few digits. */
export function numberOf({ top, over }: Fraction): number {
  if (over === 1n) return Number(top);
  const size = over.toString().length + 20;
  const scale = 10n ** BigInt(size);
  return Number(`${(top * scale) / over}e-${size}`);
}
