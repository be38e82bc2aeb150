import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { decimalOf, numberOf, plus, times } from "../../base/decimal.js";
import { domainOf, samplesOf } from "../../operators/index.js";
import { isOnly } from "../../operators/value-set.js";
import { first } from "../model/caps.js";

const STEPS: readonly number[] = [1, -1, 0.01, -0.01, 0.5, -0.5];

/** The numbers in an operator: lower bounds and listed numbers, the plainest values. */
function lowerOf(operator: CompiledOperator): readonly number[] {
  const { lower, values } = samplesOf(operator);
  return [...lower, ...values.filter((value) => typeof value === "number")];
}

/** Upper bounds, which come after plain values. */
function upperOf(operator: CompiledOperator): readonly number[] {
  return samplesOf(operator).upper;
}

function stepsOf(operators: readonly CompiledOperator[]): readonly number[] {
  const steps = first(
    operators.flatMap((operator) => samplesOf(operator).steps),
    "multiples",
  );
  const common = steps.length > 1 ? [steps.reduce((product, step) => product * step, 1)] : [];
  return [...common, ...steps].filter((step) => Number.isFinite(step) && step !== 0);
}

/** Sums and products as decimals, so that 5 - 0.01 is 4.99. */
function add(a: number, b: number): number {
  return numberOf(plus(decimalOf(a), decimalOf(b)));
}

function multiply(a: number, b: number): number {
  return numberOf(times(decimalOf(a), decimalOf(b)));
}

function multiplesNear(bound: number, step: number): readonly number[] {
  const count = Math.floor(bound / step);
  if (!Number.isFinite(count)) return [];
  return [count, count + 1, count - 1, count + 2].map((factor) => multiply(factor, step));
}

function between(bounds: readonly number[]): readonly number[] {
  const sorted = [...new Set(bounds)].sort((a, b) => a - b);
  return sorted.slice(1).map((bound, at) => bound / 2 + (sorted[at] ?? bound) / 2);
}

/** Whether operators judge numbers: they name some, or accept nothing else. */
export function speaksOfNumbers(operators: readonly CompiledOperator[]): boolean {
  return operators.some((operator) => lowerOf(operator).length > 0 || isOnly(domainOf(operator).accepts, "number"));
}

/** The bounds themselves. */
export function borderNumbers(operators: readonly CompiledOperator[]): readonly number[] {
  return first(
    operators.flatMap((operator) => [...lowerOf(operator), ...upperOf(operator)]),
    "bounds",
  );
}

/** Numbers at and near the bounds of operators, plainest first. */
export function numbersNear(operators: readonly CompiledOperator[]): readonly number[] {
  const steps = stepsOf(operators);
  const lower = first(operators.flatMap(lowerOf), "bounds");
  const upper = first(operators.flatMap(upperOf), "bounds");
  const bounds = [...lower, ...upper];
  const near = (bound: number) => STEPS.map((step) => add(bound, step));
  const numbers = [
    ...lower.flatMap((bound) => [bound, add(bound, 1)]),
    ...steps.flatMap((step) => lower.flatMap((bound) => multiplesNear(bound, step))),
    1,
    0,
    ...steps,
    ...upper,
    ...steps.flatMap((step) => upper.flatMap((bound) => multiplesNear(bound, step))),
    ...bounds.flatMap(near),
    ...between(bounds),
    ...bounds.flatMap((bound) => [bound * 2, bound / 2]),
    ...steps.flatMap((step) => [step / 2, -step]),
    1.5,
    -1,
  ];
  // JSON has neither -0 nor infinite numbers.
  return numbers.filter(Number.isFinite).map((number) => (number === 0 ? 0 : number));
}
