import type { Expression } from "../../../artifact/expression.js";
import { Fault, worse } from "../fault.js";
import type { Frame } from "../frame.js";
import { Duration, isNumber, kindOf, type Outcome, Timestamp, type Value } from "../value.js";
import { readWhole } from "./slot-part.js";

/** Combines two outcomes where the quick way of an operator does not apply. */
export type Combine = (a: Outcome, b: Outcome, frame: Frame) => Outcome;

/** An operator of two operands that are both evaluated. */
export type BinaryNode = Extract<Expression, { readonly kind: "binary" }>;
type Operands = readonly [Value, Value] | Fault;

/** Both operands with their slots read, or why there is no value. */
export function operandsOf(a: Outcome, b: Outcome, frame: Frame, node: BinaryNode): Operands {
  const left = readWhole(a, frame, node.left);
  const right = readWhole(b, frame, node.right);
  if (left instanceof Fault) return right instanceof Fault ? worse(left, right) : left;
  return right instanceof Fault ? right : [left, right];
}

/** The operand that the operator does not take, or both, if it takes either of them but not together. */
export function wrongKind(left: Value, right: Value, node: BinaryNode, takes: (value: Value) => boolean): Fault {
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

/** Whether a value is of a kind that has an order. */
export function isOrdered(value: Value): boolean {
  return isNumber(value) || typeof value === "string" || value instanceof Timestamp || value instanceof Duration;
}
