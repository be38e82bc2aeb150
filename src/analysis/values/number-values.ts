import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { decimalOf, numberOf, plus, times } from "../../base/decimal.js";
import { first } from "../caps.js";

const STEPS: readonly number[] = [1, -1, 0.01, -0.01, 0.5, -0.5];

/** The numbers that an operator compares with. */
function boundsOf(operator: CompiledOperator): readonly number[] {
  switch (operator.op) {
    case "gte":
    case "gt":
    case "lte":
    case "lt":
      return [operator.value];
    case "equals":
      return typeof operator.value === "number" ? [operator.value] : [];
    case "one_of":
      return operator.values.filter((value) => typeof value === "number");
    default:
      return [];
  }
}

function stepsOf(operators: readonly CompiledOperator[]): readonly number[] {
  const steps = first(
    operators.flatMap((operator) => (operator.op === "multiple_of" ? [operator.value] : [])),
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

/** Lower bounds are the plainest values; upper ones come after what is plain in itself. */
function isLower({ op }: CompiledOperator): boolean {
  return op !== "lte" && op !== "lt";
}

/** Whether operators speak of numbers at all. */
export function speaksOfNumbers(operators: readonly CompiledOperator[]): boolean {
  return operators.some(
    (operator) =>
      operator.op === "multiple_of" ||
      boundsOf(operator).length > 0 ||
      (operator.op === "type" && (operator.value === "number" || operator.value === "integer")),
  );
}

/** The borders themselves. */
export function borderNumbers(operators: readonly CompiledOperator[]): readonly number[] {
  return first(operators.flatMap(boundsOf), "bounds");
}

/** Numbers at and around the borders that operators draw, plainest first. */
export function numbersNear(operators: readonly CompiledOperator[]): readonly number[] {
  const steps = stepsOf(operators);
  const lower = borderNumbers(operators.filter(isLower));
  const upper = borderNumbers(operators.filter((operator) => !isLower(operator)));
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
  // JSON knows neither -0 nor what is not finite.
  return numbers.filter(Number.isFinite).map((number) => (number === 0 ? 0 : number));
}
