import { unreachable } from "../../../base/invariant.js";
import { compareValues, equalValues } from "../equal.js";
import { Fault } from "../fault.js";
import type { Evaluate, Part } from "../frame.js";
import type { Outcome, Value } from "../value.js";
import { dividedOther, minusOther, plusOther, remainderOther, timesOther } from "./arithmetic.js";
import { membership } from "./membership.js";
import { type BinaryNode, type Combine, isOrdered, operandsOf, wrongKind } from "./operands.js";
import type { Prepare, Scope } from "./scope.js";

type Order = "<" | "<=" | ">" | ">=";

const ORDERS: Readonly<Record<Order, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function ordering(node: BinaryNode, op: Order): Combine {
  const holds = ORDERS[op];
  return (a, b, frame) => {
    const operands = operandsOf(a, b, frame, node);
    if (operands instanceof Fault) return operands;
    const [left, right] = operands;
    const order = compareValues(left, right);
    return order === null ? wrongKind(left, right, node, isOrdered) : holds(order);
  };
}

function equality(node: BinaryNode, ifEqual: boolean): Combine {
  return (a, b, frame) => {
    const operands = operandsOf(a, b, frame, node);
    return operands instanceof Fault ? operands : equalValues(operands[0], operands[1]) === ifEqual;
  };
}

function general(node: BinaryNode, combine: (left: Value, right: Value, node: BinaryNode) => Outcome): Combine {
  return (a, b, frame) => {
    const operands = operandsOf(a, b, frame, node);
    return operands instanceof Fault ? operands : combine(operands[0], operands[1], node);
  };
}

/** The operands of an operator, ready to be evaluated. */
interface Sides {
  readonly left: Evaluate;
  readonly right: Evaluate;
}

/**
 * Comparisons. Most are of doubles, which have the order of the decimals that they are written as. Each operator has a function of its
 * own: one for all takes twice as long.
 */
function compared({ left, right }: Sides, op: Order | "==" | "!=", combine: Combine): Evaluate {
  const isNumeric = (a: Outcome, b: Outcome): a is number => typeof a === "number" && typeof b === "number";
  switch (op) {
    case "==":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return isNumeric(a, b) ? a === b : combine(a, b, frame);
      };
    case "!=":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return isNumeric(a, b) ? a !== b : combine(a, b, frame);
      };
    default:
      return ordered({ left, right }, op, combine);
  }
}

function ordered({ left, right }: Sides, op: Order, combine: Combine): Evaluate {
  switch (op) {
    case "<":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a < b : combine(a, b, frame);
      };
    case "<=":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a <= b : combine(a, b, frame);
      };
    case ">":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a > b : combine(a, b, frame);
      };
    case ">=":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a >= b : combine(a, b, frame);
      };
    default:
      return unreachable(op);
  }
}

/** Arithmetic: sums and products of small integers are exact as they are. */
function computed({ left, right }: Sides, op: "+" | "-" | "*", combine: Combine): Evaluate {
  switch (op) {
    case "+":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        if (typeof a === "number" && typeof b === "number" && isSmall(a) && isSmall(b)) return a + b;
        return combine(a, b, frame);
      };
    case "-":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        if (typeof a === "number" && typeof b === "number" && isSmall(a) && isSmall(b)) return a - b;
        return combine(a, b, frame);
      };
    case "*":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        if (typeof a === "number" && typeof b === "number" && isSmall(a) && isSmall(b)) {
          const product = a * b;
          if (product <= Number.MAX_SAFE_INTEGER && product >= Number.MIN_SAFE_INTEGER) return product;
        }
        return combine(a, b, frame);
      };
    default:
      return unreachable(op);
  }
}

/** An integer of at most 32 bits. */
function isSmall(value: number): boolean {
  return (value | 0) === value;
}

function evaluateOf(node: BinaryNode, sides: Sides): Evaluate {
  const { op } = node;
  switch (op) {
    case "==":
    case "!=":
      return compared(sides, op, equality(node, op === "=="));
    case "<":
    case "<=":
    case ">":
    case ">=":
      return compared(sides, op, ordering(node, op));
    case "+":
      return computed(sides, op, general(node, plusOther));
    case "-":
      return computed(sides, op, general(node, minusOther));
    case "*":
      return computed(sides, op, general(node, timesOther));
    case "/":
      return both(sides, general(node, dividedOther));
    case "%":
      return both(sides, general(node, remainderOther));
    case "in":
      return both(sides, membership(node));
    default:
      return unreachable(op);
  }
}

function both({ left, right }: Sides, combine: Combine): Evaluate {
  return (frame) => combine(left(frame), right(frame), frame);
}

/** An operator of two operands. Both are evaluated, so that one that cannot be judged is found beside one that is awaited. */
export function binary(node: BinaryNode, scope: Scope, prepare: Prepare): Part {
  const left = prepare(node.left, scope);
  const right = prepare(node.right, scope);
  const run = evaluateOf(node, { left: left.run, right: right.run });
  return { run, steps: left.steps + right.steps + 1 };
}
