import type { Expression } from "../../../artifact/expression.js";
import { Fault, worse } from "../fault.js";
import type { Evaluate, Part } from "../frame.js";
import { kindOf, type Outcome } from "../value.js";
import type { Prepare, Scope } from "./scope.js";

type Of<K extends Expression["kind"]> = Extract<Expression, { readonly kind: K }>;

/** Why an outcome is neither true nor false. */
export function notBoolean(outcome: Outcome, node: Expression): Fault {
  return outcome instanceof Fault ? outcome : new Fault("kind", node, kindOf(outcome));
}

/** Not both sides are known: one that does not decide, or two. */
function undecided(left: Outcome, right: Outcome, node: Of<"and" | "or">): Fault {
  if (typeof left === "boolean") return notBoolean(right, node.right);
  const fault = notBoolean(left, node.left);
  return typeof right === "boolean" ? fault : worse(fault, notBoolean(right, node.right));
}

/** `&&` and `||`: a side that is the deciding value wins over one that cannot be judged. */
export function logic(node: Of<"and" | "or">, scope: Scope, prepare: Prepare): Part {
  const decisive = node.kind === "or";
  const { run: left, steps } = prepare(node.left, scope);
  const { run: right, steps: rightSteps } = prepare(node.right, scope);
  const run: Evaluate = (frame) => {
    const a = left(frame);
    if (a === decisive) return decisive;
    frame.steps += rightSteps;
    const b = right(frame);
    if (b === decisive) return decisive;
    return typeof a === "boolean" && typeof b === "boolean" ? !decisive : undecided(a, b, node);
  };
  return { run, steps: steps + 1 };
}

/** `!`. */
export function not(node: Of<"not">, scope: Scope, prepare: Prepare): Part {
  const { run: of, steps } = prepare(node.of, scope);
  const run: Evaluate = (frame) => {
    const value = of(frame);
    return typeof value === "boolean" ? !value : notBoolean(value, node.of);
  };
  return { run, steps: steps + 1 };
}

/** `? :`. */
export function choice(node: Of<"choice">, scope: Scope, prepare: Prepare): Part {
  const test = prepare(node.test, scope);
  const yes = prepare(node.yes, scope);
  const no = prepare(node.no, scope);
  const run: Evaluate = (frame) => {
    const decided = test.run(frame);
    if (typeof decided !== "boolean") return notBoolean(decided, node.test);
    const chosen = decided ? yes : no;
    frame.steps += chosen.steps;
    return chosen.run(frame);
  };
  return { run, steps: test.steps + 1 };
}
