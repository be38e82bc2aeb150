import type { Expression } from "../../../artifact/expression.js";
import { Fault } from "../fault.js";
import type { Frame } from "../frame.js";
import type { Context } from "../parts/scope.js";
import { kindOf, type Outcome, type Value } from "../value.js";

/** A call of a function in an expression. */
export type CallNode = Extract<Expression, { readonly kind: "call" }>;

/** Calls a function on operands whose slots have been read. */
export type Call = (operands: readonly Value[], node: CallNode, frame: Frame, context: Context) => Outcome;

/** An operand is of a kind that the function does not take. */
export function wrongKind(node: CallNode, at: number, value: Value): Fault {
  return new Fault("kind", node.operands[at] ?? node, kindOf(value));
}

/** An operand means nothing to the function. */
export function wrong(node: CallNode, what: string): Fault {
  return new Fault("value", node, what);
}

/** The result would have too many digits. */
export function tooLong(node: CallNode): Fault {
  return new Fault("bound", node, "digits");
}
