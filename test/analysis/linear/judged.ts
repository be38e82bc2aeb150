import { type Formula, holds, type Linear } from "../../../src/analysis/linear/formula.js";
import { type Fraction, plus, times } from "../../../src/analysis/linear/fraction.js";

function sumOf({ terms, constant }: Linear, values: readonly Fraction[]): Fraction {
  let sum = constant;
  for (const [at, factor] of terms) sum = plus(sum, times(factor, values[at] ?? { top: 0n, over: 1n }));
  return sum;
}

/** Whether a formula holds for values. */
export function isTrue(formula: Formula, values: readonly Fraction[]): boolean {
  if (typeof formula === "boolean") return formula;
  if (formula.kind === "all") return formula.of.every((each) => isTrue(each, values));
  if (formula.kind === "any") return formula.of.some((each) => isTrue(each, values));
  return holds(formula.relation, sumOf(formula.sum, values));
}
