import { compare, type Decimal, decimalOf, MOST_DIGITS, minus, numberOf, POWERS, plus, trimmed } from "./decimal.js";

/**
 * A running sum of numbers as the decimals they are written as. Equal sums are spelled equally.
 * Safe integers stay plain numbers, which are exact and many times faster; everything else is a big decimal.
 */
export type ExactSum = number | Decimal;

/** The sum of nothing. */
export const EMPTY_SUM: ExactSum = 0;

/** The sum of one number. */
export function sumOf(value: number): ExactSum {
  return Number.isSafeInteger(value) ? value : trimmed(decimalOf(value));
}

function asDecimal(sum: ExactSum): Decimal {
  return typeof sum === "number" ? { digits: BigInt(sum), exponent: 0 } : sum;
}

/** A sum that is a whole number again is spelled like one that always was. */
function spelled(sum: Decimal): ExactSum {
  const short = trimmed(sum);
  const value = short.exponent < 0 ? Number.NaN : numberOf(short);
  return Number.isSafeInteger(value) ? value : short;
}

/** a + b. */
export function addSums(a: ExactSum, b: ExactSum): ExactSum {
  if (typeof a === "number" && typeof b === "number") {
    const whole = a + b;
    if (Number.isSafeInteger(whole)) return whole;
  }
  return spelled(plus(asDecimal(a), asDecimal(b)));
}

/** The sum of many numbers, adding those of few decimals as integers: some twenty times faster than one after the other. */
export function sumAll(values: readonly number[]): ExactSum {
  const [only] = values;
  if (values.length <= 1) return only === undefined ? EMPTY_SUM : sumOf(only);
  const whole = POWERS.map(() => 0);
  let rest = EMPTY_SUM;
  for (const value of values) {
    const power = POWERS.findIndex((scale) => Math.round(value * scale) / scale === value);
    const digits = Math.round(value * (POWERS[power] ?? 0));
    const added = digits + (whole[power] ?? 0);
    const isExact = power !== -1 && Math.abs(digits) < MOST_DIGITS && Math.abs(added) < MOST_DIGITS;
    if (isExact) whole[power] = added;
    else rest = addSums(rest, sumOf(value));
  }
  return whole.reduce<ExactSum>((sum, digits, power) => {
    return digits === 0 ? sum : addSums(sum, spelled({ digits: BigInt(digits), exponent: -power }));
  }, rest);
}

/** a − b. */
export function subtractSums(a: ExactSum, b: ExactSum): ExactSum {
  if (typeof a === "number" && typeof b === "number") {
    const whole = a - b;
    if (Number.isSafeInteger(whole)) return whole;
  }
  return spelled(minus(asDecimal(a), asDecimal(b)));
}

/** Negative, zero or positive as the sum is less than, equal to or greater than a bound. */
export function compareSum(sum: ExactSum, bound: number): number {
  if (typeof sum === "number") return sum < bound ? -1 : sum > bound ? 1 : 0;
  return compare(sum, decimalOf(bound));
}

/** The double nearest to a sum. */
export function sumNumber(sum: ExactSum): number {
  return typeof sum === "number" ? sum : numberOf(sum);
}
