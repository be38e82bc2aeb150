import { type Decimal, decimalOf, numberOf, times, trimmed } from "../base/decimal.js";

/** The shortest spelling of a double has no more digits. */
const MOST_DIGITS = 17;

function digitsOf({ digits, exponent }: Decimal, common: number): bigint {
  const size = digits < 0n ? -digits : digits;
  return size * 10n ** BigInt(exponent - common);
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** The step of `multiple_of`; null for 0, of which nothing is a multiple. */
export function stepOf(value: number): Decimal | null {
  return value === 0 || !Number.isFinite(value) ? null : trimmed(decimalOf(Math.abs(value)));
}

/** The least number that is a multiple of both steps. */
export function leastCommonMultiple(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const [x, y] = [digitsOf(a, exponent), digitsOf(b, exponent)];
  return trimmed({ digits: (x / greatestDivisor(x, y)) * y, exponent });
}

/** Whether one step is a multiple of another one. */
export function isMultiple(a: Decimal, b: Decimal): boolean {
  const exponent = Math.min(a.exponent, b.exponent);
  return digitsOf(a, exponent) % digitsOf(b, exponent) === 0n;
}

/** Whether a number is a multiple of a step. */
export function isMultipleOf(value: number, step: Decimal): boolean {
  return value === 0 || isMultiple(decimalOf(value), step);
}

/** The largest `count` with `count` × step at most the number. */
export function countBelow(value: number, step: Decimal): bigint {
  const at = decimalOf(value);
  const exponent = Math.min(at.exponent, step.exponent);
  const [x, y] = [digitsOf(at, exponent), digitsOf(step, exponent)];
  const quotient = x / y;
  if (value >= 0) return quotient;
  return quotient * y === x ? -quotient : -quotient - 1n;
}

/** `count` × step as a number; null where no number is spelled so. */
export function multipleAt(count: bigint, step: Decimal): number | null {
  const exact = trimmed(times({ digits: count, exponent: 0 }, step));
  if (exact.digits.toString().replace("-", "").length > MOST_DIGITS) return null;
  const value = numberOf(exact);
  if (!Number.isFinite(value)) return null;
  const spelled = trimmed(decimalOf(value));
  return spelled.digits === exact.digits && spelled.exponent === exact.exponent ? value : null;
}
