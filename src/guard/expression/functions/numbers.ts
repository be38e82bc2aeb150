import { HashedTexts, spend } from "../../../base/cost.js";
import { add, compareNumbers, type ExactNumber, isInteger, magnitudeOf, roundTo } from "../../../base/exact-number.js";
import { textOf } from "../equal.js";
import { Fault } from "../fault.js";
import { MOST_STEPS } from "../frame.js";
import { outOfSteps } from "../parts/macro.js";
import { isList, isNumber, kindOf, type Value } from "../value.js";
import { type Call, type CallNode, tooLong, wrong, wrongKind } from "./operand.js";

/** All values as numbers; what is none is at fault. */
function numbersOf(values: readonly Value[], node: CallNode): readonly ExactNumber[] | Fault {
  spend(8 * values.length);
  const numbers: ExactNumber[] = [];
  for (const value of values) {
    if (!isNumber(value)) return new Fault("kind", node, kindOf(value));
    numbers.push(value);
  }
  return numbers;
}

/** The numbers that `math.least` and `math.greatest` choose from: the operands, or the items of the only one. */
function choosing(isBetter: (order: number) => boolean): Call {
  return (operands, node) => {
    const [only = null] = operands;
    const numbers = numbersOf(operands.length === 1 && isList(only) ? only : operands, node);
    if (numbers instanceof Fault) return numbers;
    let [best] = numbers;
    if (best === undefined) return wrong(node, "empty");
    for (const number of numbers) if (isBetter(compareNumbers(number, best))) best = number;
    return best;
  };
}

export const least = choosing((order) => order < 0);
export const greatest = choosing((order) => order > 0);

/** `math.abs`. */
export const abs: Call = ([value = null], node) => (isNumber(value) ? magnitudeOf(value) : wrongKind(node, 0, value));

/** `math.round`: to that many digits after the point, none if they are not given. */
export const round: Call = ([value = null, digits = 0], node) => {
  if (!isNumber(value)) return wrongKind(node, 0, value);
  if (!isNumber(digits)) return wrongKind(node, 1, digits);
  if (typeof digits !== "number" || !Number.isSafeInteger(digits)) return wrong(node, "digits");
  return roundTo(value, digits) ?? tooLong(node);
};

/** `sum` of a list of numbers; of none it is 0. */
export const sum: Call = ([list = null], node) => {
  if (!isList(list)) return wrongKind(node, 0, list);
  spend(4 * list.length);
  let total: ExactNumber | null = 0;
  for (const number of list) {
    if (!isNumber(number)) return new Fault("kind", node, kindOf(number));
    total = add(total, number);
    if (total === null) return tooLong(node);
  }
  return total;
};

/** `distinct`: every value once, where it comes first. */
export const distinct: Call = ([list = null], node) => {
  if (!isList(list)) return wrongKind(node, 0, list);
  spend(60 * list.length);
  const seen = new Set<string>();
  const hashed = new HashedTexts();
  return list.filter((item) => {
    const { size } = seen;
    const text = textOf(item);
    hashed.add(text);
    return seen.add(text).size > size;
  });
};

/** `lists.range`: the integers from 0 up to a number, which is not negative: no rule holds for all of fewer than none. */
export const range: Call = ([count = null], node, frame) => {
  if (!isNumber(count)) return wrongKind(node, 0, count);
  if (!isInteger(count) || compareNumbers(count, 0) < 0) return wrong(node, "count");
  const length = typeof count === "number" ? count : Number.POSITIVE_INFINITY;
  // Not counted beyond the bound: what is not made takes no work.
  frame.steps = Math.min(frame.steps + length, MOST_STEPS + 1);
  if (frame.steps > MOST_STEPS) return outOfSteps(node);
  return Array.from({ length }, (_, index) => index);
};
