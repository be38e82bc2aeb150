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
import { Fault } from "../fault.js";
import { isSpan, isSpeakable } from "../time/read-time.js";
import { Duration, isList, isNumber, type Outcome, Timestamp, type Value } from "../value.js";
import { type BinaryNode, isOrdered, wrongKind } from "./operands.js";

function isAddable(value: Value): boolean {
  return isOrdered(value) || isList(value);
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

/** `+` of any two values. */
export function plusOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (isNumber(left) && isNumber(right)) return exact(add(left, right), node);
  if (typeof left === "string" && typeof right === "string") {
    // Whoever reads the text later has to put it together.
    spend((left.length + right.length) >> 3);
    return left + right;
  }
  if (isList(left) && isList(right)) {
    spend(4 * (left.length + right.length));
    return [...left, ...right];
  }
  if (left instanceof Timestamp && right instanceof Duration) return moment(add(left.ms, right.ms), node);
  if (left instanceof Duration && right instanceof Timestamp) return moment(add(left.ms, right.ms), node);
  if (left instanceof Duration && right instanceof Duration) return span(add(left.ms, right.ms), node);
  return wrongKind(left, right, node, isAddable);
}

/** `-` of any two values. */
export function minusOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (isNumber(left) && isNumber(right)) return exact(subtract(left, right), node);
  if (left instanceof Timestamp && right instanceof Timestamp) return span(subtract(left.ms, right.ms), node);
  if (left instanceof Timestamp && right instanceof Duration) return moment(subtract(left.ms, right.ms), node);
  if (left instanceof Duration && right instanceof Duration) return span(subtract(left.ms, right.ms), node);
  return wrongKind(left, right, node, (value) => isOrdered(value) && typeof value !== "string");
}

/** `*` of any two values. */
export function timesOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (isNumber(left) && isNumber(right)) return exact(multiply(left, right), node);
  return wrongKind(left, right, node, isNumber);
}

/** `/` of any two values. */
export function dividedOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (!isNumber(left) || !isNumber(right)) return wrongKind(left, right, node, isNumber);
  if (right === 0) return new Fault("value", node, "zero");
  return divide(left, right) ?? new Fault("bound", node, "digits");
}

/** `%` of any two values. */
export function remainderOther(left: Value, right: Value, node: BinaryNode): Outcome {
  if (!isNumber(left) || !isNumber(right)) return wrongKind(left, right, node, isNumber);
  if (!isInteger(left)) return new Fault("value", node.left, "integer");
  if (!isInteger(right)) return new Fault("value", node.right, "integer");
  if (right === 0) return new Fault("value", node, "zero");
  return remainder(left, right) ?? new Fault("bound", node, "digits");
}
