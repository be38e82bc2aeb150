import type { Expression } from "../../artifact/expression.js";
import type { Value } from "../../guard/expression/value.js";

/** What an operand of a part without a value may be. */
export function operandOf(node: Expression, value: Value): Value {
  if (node.kind === "binary" && node.op !== "in") return 1;
  return node.kind === "call" && (node.fn === "distinct" || node.fn === "sum") ? [] : value;
}

/** The parts that a part without a value may lack; the tests of macros are judged for each item. */
export function partsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "member":
    case "has":
    case "not":
    case "minus":
    case "matches":
    case "index":
      return [node.of];
    case "binary":
      return [node.left, node.right];
    case "choice":
      return [node.test, node.yes, node.no];
    case "call":
      return node.operands;
    case "map":
      return node.entries.map(({ value }) => value);
    case "list":
      return node.items;
    default:
      return [];
  }
}
