import { decimalOf, numberOf, plus } from "./decimal.js";

/** A bound moved by one unit of its last digit: 600 becomes 601, 0.25 becomes 0.26. A test at the bound notices it. */
export function movedBound(bound: number, direction: 1 | -1): number {
  const { exponent } = decimalOf(bound);
  const unit = exponent < 0 ? numberOf({ digits: BigInt(direction), exponent }) : direction;
  return numberOf(plus(decimalOf(bound), decimalOf(unit)));
}
