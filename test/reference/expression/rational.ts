/** An exact number: a reduced fraction whose denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Every result has at most so many significant decimal digits. */
const MOST_DIGITS = 34;
/** No result is larger or smaller than this many powers of ten; the range of the 34-digit decimals of IEEE 754. */
const MOST_POWERS = 6144;

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}

/** The fraction in its reduced form; a divisor of zero is the caller's mistake. */
export function rational(numerator: bigint, denominator = 1n): Rational {
  if (denominator === 0n) throw new Error("no number has a denominator of zero");
  const sign = denominator < 0n ? -1n : 1n;
  const common = divisor(numerator < 0n ? -numerator : numerator, denominator * sign) || 1n;
  return { numerator: (numerator * sign) / common, denominator: (denominator * sign) / common };
}

export const ZERO = rational(0n);

const DECIMAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The number that a decimal text says; null for any other text, and for powers of ten beyond the bound. */
export function readDecimal(text: string): Rational | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  if (digits === 0n) return ZERO;
  if (Math.abs(power) > MOST_POWERS + whole.length + fraction.length) return null;
  return power < 0 ? rational(digits, 10n ** BigInt(-power)) : rational(digits * 10n ** BigInt(power));
}

export function fromInteger(value: number): Rational {
  return rational(BigInt(value));
}

/** Digits and a power of ten that make the number, the digits without zeros at their end; null for an infinite fraction. */
function asDecimal({ numerator, denominator }: Rational): { readonly digits: bigint; readonly power: number } | null {
  let [digits, rest, power] = [numerator, denominator, 0];
  while (rest % 10n === 0n) [rest, power] = [rest / 10n, power - 1];
  while (rest % 2n === 0n) [digits, rest, power] = [digits * 5n, rest / 2n, power - 1];
  while (rest % 5n === 0n) [digits, rest, power] = [digits * 2n, rest / 5n, power - 1];
  if (rest !== 1n) return null;
  if (digits === 0n) return { digits: 0n, power: 0 };
  while (digits % 10n === 0n) [digits, power] = [digits / 10n, power + 1];
  return { digits, power };
}

function countDigits(digits: bigint): number {
  return String(digits < 0n ? -digits : digits).length;
}

/** The number where it is a result that the language can hold: a finite decimal of few enough digits. */
export function held(value: Rational): Rational | null {
  const decimal = asDecimal(value);
  if (decimal === null) return null;
  const { digits, power } = decimal;
  if (countDigits(digits) > MOST_DIGITS) return null;
  return Math.abs(power + countDigits(digits) - 1) > MOST_POWERS ? null : value;
}

/** The plain digits of a finite decimal, without an exponent and without zeros that say nothing. */
export function decimalText(value: Rational): string {
  const decimal = asDecimal(value);
  if (decimal === null) throw new Error("an infinite fraction has no text");
  const { digits, power } = decimal;
  const sign = digits < 0n ? "-" : "";
  const plain = String(digits < 0n ? -digits : digits);
  if (power >= 0) return `${sign}${plain}${"0".repeat(power)}`;
  const padded = plain.padStart(1 - power, "0");
  return `${sign}${padded.slice(0, power)}.${padded.slice(power)}`;
}

export function add(a: Rational, b: Rational): Rational {
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function negate({ numerator, denominator }: Rational): Rational {
  return { numerator: -numerator, denominator };
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, negate(b));
}

export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.numerator * b.numerator, a.denominator * b.denominator);
}

/** Null where the divisor is zero. */
export function divide(a: Rational, b: Rational): Rational | null {
  return b.numerator === 0n ? null : rational(a.numerator * b.denominator, a.denominator * b.numerator);
}

export function compare(a: Rational, b: Rational): -1 | 0 | 1 {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator];
  return left < right ? -1 : left > right ? 1 : 0;
}

export function absolute(value: Rational): Rational {
  return value.numerator < 0n ? negate(value) : value;
}

/** The whole number that the value is; null where it has a fraction. */
export function toInteger({ numerator, denominator }: Rational): bigint | null {
  return denominator === 1n ? numerator : null;
}

/** Rounded to so many digits after the point, halves away from zero. */
export function round(value: Rational, digits: number): Rational {
  const scale = 10n ** BigInt(Math.abs(digits));
  const factor = digits < 0 ? rational(1n, scale) : rational(scale);
  const { numerator, denominator } = multiply(absolute(value), factor);
  const rounded = rational((2n * numerator + denominator) / (2n * denominator));
  const size = divide(rounded, factor) ?? ZERO;
  return value.numerator < 0n ? negate(size) : size;
}

/** Whether a decimal is what a double is written as in its shortest spelling. */
export function isDouble(value: Rational): boolean {
  const spelled = readDecimal(String(Number(decimalText(value))));
  return spelled !== null && compare(spelled, value) === 0;
}
