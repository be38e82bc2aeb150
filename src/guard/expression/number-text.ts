import { type Decimal, decimalOf, decimalText } from "../../base/decimal.js";
import type { ExactNumber } from "../../base/exact-number.js";

/** The shortest decimal of a number, without an exponent. */
export function numberText(value: ExactNumber): string {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  const decimal: Decimal = typeof value === "number" ? decimalOf(value) : value;
  return decimalText(decimal);
}
