import { spend } from "./cost.js";

/** A decimal number as `digits` × 10^`exponent`. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const ZERO = 0x30;

/** Powers of ten that were asked for before; doubles need none above the last one. */
const powers: bigint[] = [];
const LAST_POWER = 2000;

function powerOfTen(exponent: number): bigint {
  if (exponent > LAST_POWER) return 10n ** BigInt(exponent);
  const power = powers[exponent] ?? 10n ** BigInt(exponent);
  powers[exponent] = power;
  return power;
}

/** The same value without zeros at the end of its digits, so that equal values are spelled equally. */
export function trimmed(decimal: Decimal): Decimal {
  const { digits, exponent } = decimal;
  spend(60);
  if (digits === 0n) return { digits, exponent: 0 };
  if (digits % 10n !== 0n) return decimal;
  const text = digits.toString();
  // Reading and writing digits takes the square of their number.
  spend(2 * text.length + ((text.length * text.length) >> 8));
  let length = text.length;
  while (text.charCodeAt(length - 1) === ZERO) length -= 1;
  return { digits: BigInt(text.slice(0, length)), exponent: exponent + text.length - length };
}

/** Whether a decimal text such as `1.50` or `1e3` spells exactly the value that a double is written as. */
export function spells(text: string, value: number): boolean {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]{1,6}))?$/.exec(text) ?? [];
  if (whole === "" && fraction === "") return false;
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n);
  const spelled = trimmed({ digits, exponent: Number(exponent) - fraction.length });
  const held = trimmed(decimalOf(value));
  return spelled.digits === held.digits && spelled.exponent === held.exponent;
}

/** Powers of ten that doubles hold exactly, for the decimals that amounts usually have. */
export const POWERS: readonly number[] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
/** Two different decimals of this many digits are never the same double, so a quotient equal to the value is its spelling. */
export const MOST_DIGITS = 1e15;

/** The value that a double is written as in its shortest spelling, e.g. exactly 0.1 for `0.1`. */
export function decimalOf(value: number): Decimal {
  // Most amounts have few decimals, and are read several times faster without being written first.
  for (let places = 0; places < POWERS.length; places++) {
    const scale = POWERS[places] ?? 1;
    const digits = Math.round(value * scale);
    if (digits / scale !== value) continue;
    if (Math.abs(digits) >= MOST_DIGITS) break;
    return { digits: BigInt(digits), exponent: 0 - places };
  }
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Both numbers as integers of the same power of ten. */
function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  // Exponents of doubles lie within ±324, so the scaled integers stay below 700 digits.
  const exponent = Math.min(a.exponent, b.exponent);
  const apart = Math.abs(a.exponent - b.exponent);
  spend(150 + 3 * apart + (exponent < 0 ? -exponent : 0));
  if (apart === 0) return [a.digits, b.digits, exponent];
  return a.exponent > exponent
    ? [a.digits * powerOfTen(apart), b.digits, exponent]
    : [a.digits, b.digits * powerOfTen(apart), exponent];
}

/** a + b. */
export function plus(a: Decimal, b: Decimal): Decimal {
  const [x, y, exponent] = aligned(a, b);
  return { digits: x + y, exponent };
}

/** a − b. */
export function minus(a: Decimal, b: Decimal): Decimal {
  const [x, y, exponent] = aligned(a, b);
  return { digits: x - y, exponent };
}

/** a × b. */
export function times(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, exponent: a.exponent + b.exponent };
}

/** Takes all factors of a prime out of a number, and counts them. */
function withoutFactor(value: bigint, prime: bigint): readonly [bigint, number] {
  let rest = value;
  let count = 0;
  for (; rest % prime === 0n; count++) rest /= prime;
  return [rest, count];
}

/** a ÷ b, which is not 0; null if that is no finite decimal. */
export function quotient(a: Decimal, b: Decimal): Decimal | null {
  const [odd, twos] = withoutFactor(b.digits, 2n);
  const [rest, fives] = withoutFactor(odd, 5n);
  if (a.digits % rest !== 0n) return null;
  // What is left of the divisor divides a power of ten.
  const tens = Math.max(twos, fives);
  const digits = (a.digits / rest) * 2n ** BigInt(tens - twos) * 5n ** BigInt(tens - fives);
  return { digits, exponent: a.exponent - b.exponent - tens };
}

/** a with at most that many digits after the point, halves away from zero. */
export function rounded(a: Decimal, places: number): Decimal {
  const dropped = -places - a.exponent;
  if (dropped <= 0) return a;
  // A power of ten with more digits than the number is more than twice as large.
  if (dropped > String(a.digits).length + 1) return { digits: 0n, exponent: 0 };
  const power = powerOfTen(dropped);
  const half = a.digits < 0n ? -power / 2n : power / 2n;
  return { digits: (a.digits + half) / power, exponent: -places };
}

/** A number in the grammar of JSON; null if the text is none, or its exponent has more than six digits. */
export function decimalOfText(text: string): Decimal | null {
  // Reading digits takes the square of their number.
  spend(2 * text.length + Math.floor((text.length * text.length) / 256));
  const parts = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]{1,6}))?$/.exec(text);
  if (parts === null) return null;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = BigInt(`${whole}${fraction}`);
  return { digits: sign === "-" ? -digits : digits, exponent: Number(exponent) - fraction.length };
}

/** All digits of a decimal, without an exponent: `1000`, `-0.05`. */
export function decimalText(decimal: Decimal): string {
  const { digits, exponent } = trimmed(decimal);
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits);
  spend(text.length + Math.abs(exponent));
  if (exponent >= 0) return `${sign}${text}${"0".repeat(exponent)}`;
  const padded = text.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** |a|. */
export function absolute(a: Decimal): Decimal {
  return a.digits < 0n ? { digits: -a.digits, exponent: a.exponent } : a;
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compare(a: Decimal, b: Decimal): number {
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The double nearest to a decimal. */
export function numberOf({ digits, exponent }: Decimal): number {
  return Number(`${digits}e${exponent}`);
}

/** Exact over decimals: 0.3 is a multiple of 0.1. Not for values that are not finite; nothing is a multiple of 0. */
export function isMultipleOf(value: number, step: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(step) || step === 0) return false;
  const [x, y] = aligned(decimalOf(value), decimalOf(step));
  return x % y === 0n;
}

/** Doubles are off by far less than this share of what they are computed from. */
const CERTAIN = 1e-12;

/** Whether |a − b| ≤ fraction × |b|, exactly. */
export function isWithin(a: number, b: number, fraction: number): boolean {
  const [apart, reach] = [Math.abs(a - b), fraction * Math.abs(b)];
  const unsure = CERTAIN * (Math.abs(a) + Math.abs(b) + reach);
  // Not near the border, and not beyond what doubles hold.
  if (apart + unsure < reach) return true;
  if (apart - unsure > reach && Number.isFinite(apart)) return false;
  const reference = decimalOf(b);
  const distance = absolute(minus(decimalOf(a), reference));
  return compare(distance, times(decimalOf(fraction), absolute(reference))) <= 0;
}

/** Whether some number is within the fraction of both, exactly. */
export function haveNumberWithin(a: number, b: number, fraction: number): boolean {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  const reach = times(decimalOf(fraction), plus(absolute(x), absolute(y)));
  return compare(absolute(minus(x, y)), reach) <= 0;
}
