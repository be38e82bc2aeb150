import { BeyondJson } from "./beyond-json.js";
import { spend } from "./cost.js";
import { compare, type Decimal, decimalOf, minus, plus, quotient, rounded, times, trimmed } from "./decimal.js";

/**
 * A number that no double spells, e.g. one of 20 digits. Invariant: its digits do not end with a zero, and no double spells it, so that
 * equal numbers look equal.
 */
export class BigNumber extends BeyondJson implements Decimal {
  constructor(
    readonly digits: bigint,
    readonly exponent: number,
  ) {
    super();
  }
}

/**
 * An exact decimal of at most 34 digits. A double is the decimal that it is written as in its shortest spelling: different doubles have
 * different spellings, in the same order, so that most numbers of JSON are compared and often computed as they are.
 */
export type ExactNumber = number | BigNumber;

/** The most significant digits of a result. */
export const MOST_DIGITS = 34;

/** Two different decimals of this many digits are never the same double, so that a quotient below it is spelled like the decimal. */
const LARGEST_SPELLED = 1e15;
/** The first integer of more than 34 digits. */
const TOO_LONG = 10n ** BigInt(MOST_DIGITS);
/** Decimals of this many digits are doubles, if their exponent is not extreme. */
const SURELY_DOUBLE = 10n ** 15n;
const FAR_EXPONENT = 280;
/** Whatever is further away than this from the other operand needs more digits than a result may have. */
const FAR_APART = 2 * MOST_DIGITS + 2;

function asDecimal(value: ExactNumber): Decimal {
  return typeof value === "number" ? trimmed(decimalOf(value)) : value;
}

/** A decimal as a number; null if it has too many digits. */
export function exactNumber(decimal: Decimal): ExactNumber | null {
  const { digits, exponent } = trimmed(decimal);
  const size = digits < 0n ? -digits : digits;
  if (size >= TOO_LONG) return null;
  if (size < SURELY_DOUBLE && exponent > -FAR_EXPONENT && exponent < FAR_EXPONENT)
    return Number(`${digits}e${exponent}`);
  const value = Number(`${digits}e${exponent}`);
  if (!Number.isFinite(value)) return new BigNumber(digits, exponent);
  const held = trimmed(decimalOf(value));
  return held.digits === digits && held.exponent === exponent ? value : new BigNumber(digits, exponent);
}

/** The number times a power of ten if that is an integer of few digits, as for amounts in cents; else NaN. */
function scaled(value: number, power: number): number {
  const whole = Math.round(value * power);
  return whole / power === value && whole < LARGEST_SPELLED && whole > -LARGEST_SPELLED ? whole : Number.NaN;
}

/** An integer divided by a power of ten; NaN if a double might not spell the result. */
function unscaled(whole: number, power: number): number {
  return whole < LARGEST_SPELLED && whole > -LARGEST_SPELLED ? whole / power : Number.NaN;
}

/** a + b, or null if that needs too many digits. */
export function add(a: ExactNumber, b: ExactNumber): ExactNumber | null {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(sum)) return sum;
    const quick = unscaled(scaled(a, 1e4) + scaled(b, 1e4), 1e4);
    if (!Number.isNaN(quick)) return quick;
  }
  return sumOf(asDecimal(a), asDecimal(b), plus);
}

/** a − b, or null if that needs too many digits. */
export function subtract(a: ExactNumber, b: ExactNumber): ExactNumber | null {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(difference)) return difference;
    const quick = unscaled(scaled(a, 1e4) - scaled(b, 1e4), 1e4);
    if (!Number.isNaN(quick)) return quick;
  }
  return sumOf(asDecimal(a), asDecimal(b), minus);
}

function sumOf(a: Decimal, b: Decimal, combine: (a: Decimal, b: Decimal) => Decimal): ExactNumber | null {
  spend(1300);
  // Neither of them is aligned with the other if no result could hold both.
  if (a.digits !== 0n && b.digits !== 0n && Math.abs(magnitude(a) - magnitude(b)) > FAR_APART) return null;
  if (b.digits === 0n) return exactNumber(a);
  if (a.digits === 0n) return exactNumber(combine({ digits: 0n, exponent: b.exponent }, b));
  return exactNumber(combine(a, b));
}

/** The power of ten of the first digit. */
function magnitude({ digits, exponent }: Decimal): number {
  spend(60);
  return exponent + String(digits < 0n ? -digits : digits).length - 1;
}

/** a × b, or null if that needs too many digits. */
export function multiply(a: ExactNumber, b: ExactNumber): ExactNumber | null {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(product)) return product;
    const quick = unscaled(scaled(a, 100) * scaled(b, 100), 1e4);
    if (!Number.isNaN(quick)) return quick;
  }
  spend(500);
  return exactNumber(times(asDecimal(a), asDecimal(b)));
}

/** a ÷ b, or null if that is no finite decimal of few enough digits; nothing is divided by 0. */
export function divide(a: ExactNumber, b: ExactNumber): ExactNumber | null {
  if (b === 0) return null;
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    if (a % b === 0) return a / b + 0;
  }
  spend(2000);
  const exact = quotient(asDecimal(a), asDecimal(b));
  return exact === null ? null : exactNumber(exact);
}

/** Whether the number has no fraction. */
export function isInteger(value: ExactNumber): boolean {
  return typeof value === "number" ? Number.isInteger(value) : value.exponent >= 0;
}

/** 10^exponent modulo a number, without writing out that many zeros. */
function powerModulo(exponent: number, modulus: bigint): bigint {
  let [result, base] = [1n, 10n % modulus];
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * base) % modulus;
    base = (base * base) % modulus;
  }
  return result;
}

/** The remainder of integers, with the sign of a; null without one. */
export function remainder(a: ExactNumber, b: ExactNumber): ExactNumber | null {
  if (b === 0) return null;
  // `+ 0` makes 0 of -0.
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return (Number(a) % Number(b)) + 0;
  spend(2000);
  const [x, y] = [asDecimal(a), asDecimal(b)];
  // Powers of ten that both have stay as they are.
  const exponent = Math.min(x.exponent, y.exponent);
  const zeros = y.exponent - exponent;
  // The divisor is the larger one.
  if (zeros > MOST_DIGITS) return exactNumber(x);
  const divisor = y.digits * 10n ** BigInt(zeros);
  const size = divisor < 0n ? -divisor : divisor;
  return exactNumber({ digits: (x.digits * powerModulo(x.exponent - exponent, size)) % size, exponent });
}

/** −a. */
export function negate(a: ExactNumber): ExactNumber {
  return typeof a === "number" ? 0 - a : new BigNumber(-a.digits, a.exponent);
}

/** |a|. */
export function magnitudeOf(a: ExactNumber): ExactNumber {
  if (typeof a === "number") return Math.abs(a);
  return a.digits < 0n ? negate(a) : a;
}

/** a rounded to that many digits after the point, halves away from zero. */
export function roundTo(a: ExactNumber, digits: number): ExactNumber | null {
  if (typeof a === "number" && Number.isSafeInteger(a) && digits >= 0) return a;
  spend(500);
  return exactNumber(rounded(asDecimal(a), digits));
}

/** The largest integer that is not above a. */
export function floorOf(a: ExactNumber): number {
  if (typeof a === "number") return Math.floor(a);
  const { digits, exponent } = a;
  if (exponent >= 0) return Number(`${digits}e${exponent}`);
  // What lies that close to 0 needs no power of ten.
  if (exponent < -FAR_APART) return digits < 0n ? -1 : 0;
  spend(500);
  const power = 10n ** BigInt(-exponent);
  const truncated = digits / power;
  return Number(digits < 0n && truncated * power !== digits ? truncated - 1n : truncated);
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compareNumbers(a: ExactNumber, b: ExactNumber): number {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [asDecimal(a), asDecimal(b)];
  const signs = signOf(x) - signOf(y);
  if (signs !== 0) return signs;
  // Equal signs and different lengths: the longer one is further away from 0.
  const apart = magnitude(x) - magnitude(y);
  return apart === 0 ? compare(x, y) : apart * signOf(x);
}

function signOf({ digits }: Decimal): number {
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** Whether both are the same number. */
export function equalNumbers(a: ExactNumber, b: ExactNumber): boolean {
  if (typeof a === "number" || typeof b === "number") return a === b;
  return a.digits === b.digits && a.exponent === b.exponent;
}
