import { unreachable } from "../base/invariant.js";
import type { Expression, VARIABLES } from "./expression.js";

/** The parts that an expression is directly made of, in the order they are written. */
export function partsIn(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "number":
    case "variable":
    case "slot":
    case "constant":
    case "local":
    case "has_slot":
      return [];
    case "member":
    case "has":
    case "not":
    case "minus":
    case "matches":
      return [expression.of];
    case "index":
      return [expression.of, expression.index];
    case "and":
    case "or":
    case "binary":
      return [expression.left, expression.right];
    case "choice":
      return [expression.test, expression.yes, expression.no];
    case "list":
      return expression.items;
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "macro":
      return [expression.over, ...[expression.test, expression.result].flatMap((part) => part ?? [])];
    case "call":
      return expression.operands;
    default:
      return unreachable(expression);
  }
}

/** An expression and everything inside it, in the order it is written. */
export function allParts(expression: Expression): readonly Expression[] {
  const found: Expression[] = [];
  const open = [expression];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    found.push(part);
    open.push(...partsIn(part).toReversed());
  }
  return found;
}

/** Whether an expression reads a variable. */
export function readsVariable(expression: Expression, name: (typeof VARIABLES)[number]): boolean {
  return allParts(expression).some((part) => part.kind === "variable" && part.name === name);
}

/** Whether judging an expression needs a principal. */
export function readsPrincipal(expression: Expression): boolean {
  return readsVariable(expression, "principal");
}

/** The names of the slots that an expression reads. */
export function slotsIn(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  for (const part of allParts(expression)) if (part.kind === "slot" || part.kind === "has_slot") names.add(part.name);
  return names;
}

/** The names of the constants that an expression reads. */
export function constantsIn(expression: Expression): ReadonlySet<string> {
  return new Set(allParts(expression).flatMap((part) => (part.kind === "constant" ? [part.name] : [])));
}
