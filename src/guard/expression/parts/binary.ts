import type { Expression } from "../../../artifact/expression.js";
import { spend } from "../../../base/cost.js";
import {
  add,
  divide,
  type ExactNumber,
  floorOf,
  isInteger,
  multiply,
  remainder,
  subtract,
} from "../../../base/exact-number.js";
import { unreachable } from "../../../base/invariant.js";
import { compareValues, equalValues } from "../equal.js";
import { Fault, worse } from "../fault.js";
import type { Evaluate, Frame, Part } from "../frame.js";
import { FORGOTTEN } from "../slot-reader.js";
import { isSpan, isSpeakable } from "../time/read-time.js";
import {
  Duration,
  isList,
  isNumber,
  isPlainObject,
  kindOf,
  type Outcome,
  SlotPart,
  Timestamp,
  type Value,
  ValueMap,
} from "../value.js";
import type { Prepare, Scope } from "./scope.js";
import { hasKey, keyOf, readWhole, unreadable } from "./slot-part.js";

type BinaryNode = Extract<Expression, { readonly kind: "binary" }>;
type Operands = readonly [Value, Value] | Fault;

/** Both operands with their slots read, or why there is no value. */
function operandsOf(a: Outcome, b: Outcome, frame: Frame, node: BinaryNode): Operands {
  const left = readWhole(a, frame, node.left);
  const right = readWhole(b, frame, node.right);
  if (left instanceof Fault) return right instanceof Fault ? worse(left, right) : left;
  return right instanceof Fault ? right : [left, right];
}

/** The operand that the operator does not take, or both, if it takes either of them but not together. */
function wrongKind(left: Value, right: Value, node: BinaryNode, takes: (value: Value) => boolean): Fault {
  if (!takes(left)) return new Fault("kind", node.left, kindOf(left));
  if (!takes(right)) return new Fault("kind", node.right, kindOf(right));
  // What the contract itself says is not to blame.
  if (isWritten(node.right)) return new Fault("kind", node.left, kindOf(left));
  if (isWritten(node.left)) return new Fault("kind", node.right, kindOf(right));
  return new Fault("kind", node, `${kindOf(left)} ${kindOf(right)}`);
}

function isWritten({ kind }: Expression): boolean {
  return kind === "literal" || kind === "number";
}

function isOrdered(value: Value): boolean {
  return isNumber(value) || typeof value === "string" || value instanceof Timestamp || value instanceof Duration;
}

function isAddable(value: Value): boolean {
  return isOrdered(value) || isList(value);
}

type Order = "<" | "<=" | ">" | ">=";

const ORDERS: Readonly<Record<Order, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** Combines two outcomes where the quick way of an operator does not apply. */
type Combine = (a: Outcome, b: Outcome, frame: Frame) => Outcome;

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

/** A result of arithmetic, or that it has too many digits. */
function exact(result: ExactNumber | null, node: BinaryNode): ExactNumber | Fault {
  return result ?? new Fault("bound", node, "digits");
}

function moment(ms: ExactNumber | null, node: BinaryNode): Timestamp | Fault {
  if (ms === null) return new Fault("bound", node, "digits");
  return isSpeakable(floorOf(ms)) ? new Timestamp(ms) : new Fault("bound", node, "years");
}

function span(ms: ExactNumber | null, node: BinaryNode): Duration | Fault {
  if (ms === null) return new Fault("bound", node, "digits");
  return isSpan(ms) ? new Duration(ms) : new Fault("bound", node, "span");
}

function plusOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (isNumber(left) && isNumber(right)) return exact(add(left, right), node);
  if (typeof left === "string" && typeof right === "string") {
    // Whoever reads the text later has to put it together.
    spend((left.length + right.length) >> 3);
    return left + right;
  }
  if (isList(left) && isList(right)) {
    spend(left.length + right.length);
    return [...left, ...right];
  }
  if (left instanceof Timestamp && right instanceof Duration) return moment(add(left.ms, right.ms), node);
  if (left instanceof Duration && right instanceof Timestamp) return moment(add(left.ms, right.ms), node);
  if (left instanceof Duration && right instanceof Duration) return span(add(left.ms, right.ms), node);
  return wrongKind(left, right, node, isAddable);
}

function minusOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (isNumber(left) && isNumber(right)) return exact(subtract(left, right), node);
  if (left instanceof Timestamp && right instanceof Timestamp) return span(subtract(left.ms, right.ms), node);
  if (left instanceof Timestamp && right instanceof Duration) return moment(subtract(left.ms, right.ms), node);
  if (left instanceof Duration && right instanceof Duration) return span(subtract(left.ms, right.ms), node);
  return wrongKind(left, right, node, (value) => isOrdered(value) && typeof value !== "string");
}

function timesOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (isNumber(left) && isNumber(right)) return exact(multiply(left, right), node);
  return wrongKind(left, right, node, isNumber);
}

function dividedOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (!isNumber(left) || !isNumber(right)) return wrongKind(left, right, node, isNumber);
  if (right === 0) return new Fault("value", node, "zero");
  return divide(left, right) ?? new Fault("bound", node, "digits");
}

function remainderOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (!isNumber(left) || !isNumber(right)) return wrongKind(left, right, node, isNumber);
  if (!isInteger(left)) return new Fault("value", node.left, "integer");
  if (!isInteger(right)) return new Fault("value", node.right, "integer");
  if (right === 0) return new Fault("value", node, "zero");
  return remainder(left, right) ?? new Fault("bound", node, "digits");
}

function general(node: BinaryNode, combine: (left: Value, right: Value, node: BinaryNode) => Outcome): Combine {
  return (a, b, frame) => {
    const operands = operandsOf(a, b, frame, node);
    return operands instanceof Fault ? operands : combine(operands[0], operands[1], node);
  };
}

/** `in`: an item of a list, or a key of a map. */
function membership(node: BinaryNode): Combine {
  return (a, b, frame) => {
    const item = readWhole(a, frame, node.left);
    if (item instanceof Fault) return b instanceof Fault ? worse(item, b) : item;
    if (b instanceof Fault) return b;
    if (b instanceof SlotPart) return inSlot(item, b, frame, node);
    return inValue(item, b, node);
  };
}

function inValue(item: Value, container: Value, node: BinaryNode): Outcome {
  if (isList(container)) {
    spend(3 * container.length);
    return container.some((candidate) => equalValues(item, candidate));
  }
  if (!isPlainObject(container) && !(container instanceof ValueMap))
    return new Fault("kind", node.right, kindOf(container));
  const key = keyOf(item);
  if (key === null) return new Fault("kind", node.left, kindOf(item));
  if (container instanceof ValueMap) return container.entries.has(key);
  return typeof key === "string" && Object.hasOwn(container, key);
}

function inSlot(item: Value, part: SlotPart, frame: Frame, node: BinaryNode): Outcome {
  if (part.depth > 0) {
    const key = keyOf(item);
    return key === null ? new Fault("kind", node.left, kindOf(item)) : hasKey(part, key, frame, node.right);
  }
  // A list may hold what is not JSON, which no slot has.
  if (typeof item === "object" && item !== null && !isPlainObject(item)) return inUnion(item, part, frame, node);
  const found = frame.slots.includes(part.slot, item);
  return typeof found === "symbol" ? unreadable(found, node.right, part) : found;
}

function inUnion(item: Value, part: SlotPart, frame: Frame, node: BinaryNode): Outcome {
  const union = frame.slots.union(part.slot);
  if (typeof union === "symbol") return unreadable(union, node.right, part);
  if (inValue(item, union.value, node) === true) return true;
  return union.isComplete ? false : unreadable(FORGOTTEN, node.right, part);
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
