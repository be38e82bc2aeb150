import { compare, type Decimal, decimalOf, minus, numberOf, plus } from "./decimal.js";

const ZERO: Decimal = { digits: 0n, exponent: 0 };

/**
 * A running sum of numbers as the decimals they are written as.
 * Safe integers stay in a double, which is exact and many times faster; everything else goes to a big decimal.
 */
export interface ExactSum {
  readonly whole: number;
  readonly rest: Decimal | null;
}

/** The sum of nothing. */
export const EMPTY_SUM: ExactSum = { whole: 0, rest: null };

/** The sum of one number. */
export function sumOf(value: number): ExactSum {
  return Number.isSafeInteger(value) ? { whole: value, rest: null } : { whole: 0, rest: decimalOf(value) };
}

function combine(a: ExactSum, b: ExactSum, sign: 1 | -1): ExactSum {
  const whole = a.whole + sign * b.whole;
  const rest = b.rest === null ? a.rest : (sign === 1 ? plus : minus)(a.rest ?? ZERO, b.rest);
  if (!Number.isSafeInteger(whole)) {
    const exact = { digits: BigInt(a.whole) + BigInt(sign) * BigInt(b.whole), exponent: 0 };
    return { whole: 0, rest: plus(rest ?? ZERO, exact) };
  }
  // A sum that came back to whole numbers is spelled as one that never left them.
  return { whole, rest: rest?.digits === 0n ? null : rest };
}

/** a + b. */
export function addSums(a: ExactSum, b: ExactSum): ExactSum {
  if (a.rest === null && b.rest === null) {
    const whole = a.whole + b.whole;
    if (Number.isSafeInteger(whole)) return { whole, rest: null };
  }
  return combine(a, b, 1);
}

/** a − b. */
export function subtractSums(a: ExactSum, b: ExactSum): ExactSum {
  return combine(a, b, -1);
}

/** Negative, zero or positive as the sum is less than, equal to or greater than a bound. */
export function compareSum(sum: ExactSum, bound: number): number {
  if (sum.rest === null) return sum.whole < bound ? -1 : sum.whole > bound ? 1 : 0;
  return compare(plus(decimalOf(sum.whole), sum.rest), decimalOf(bound));
}

/** The double nearest to a sum. */
export function sumNumber({ whole, rest }: ExactSum): number {
  return rest === null ? whole : numberOf(plus(decimalOf(whole), rest));
}
