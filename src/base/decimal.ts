/** A decimal number as `digits` × 10^`exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The value that a double is written as in its shortest spelling, e.g. exactly 0.1 for `0.1`. */
function decimalOf(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Exact over decimals: 0.3 is a multiple of 0.1. What is not finite is a multiple of nothing, nor is anything of 0. */
export function isMultipleOf(value: number, step: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(step) || step === 0) return false;
  const a = decimalOf(value);
  const b = decimalOf(step);
  // Exponents of doubles lie within ±324, so the scaled integers stay below 700 digits.
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(a) % scaled(b) === 0n;
}
