import type { Expression } from "../../artifact/expression.js";

/** A part whose operands are variables of their own. */
export interface Opened {
  readonly operands: readonly Expression[];
  readonly names: readonly string[];
}

function operandsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "member":
    case "has":
    case "not":
    case "minus":
    case "matches":
      return [node.of];
    case "index":
      return [node.of, node.index];
    case "binary":
      return [node.left, node.right];
    case "call":
      return node.operands;
    case "list":
      return node.items;
    case "map":
      return node.entries.map(({ value }) => value);
    default:
      return [];
  }
}

/** The operands of a part, each with a name that no macro gives. */
export function openedOf(node: Expression): Opened {
  const operands = operandsOf(node);
  return { operands, names: operands.map((_, at) => `operand ${at}`) };
}

/** The part with its names for operands. */
export function exchanged(node: Expression, { names }: Opened): Expression {
  const at = (index: number): Expression => ({ kind: "local", name: names[index] ?? "" });
  switch (node.kind) {
    case "member":
    case "has":
    case "not":
    case "minus":
    case "matches":
      return { ...node, of: at(0) };
    case "index":
      return { ...node, of: at(0), index: at(1) };
    case "binary":
      return { ...node, left: at(0), right: at(1) };
    case "call":
      return { ...node, operands: names.map((_, index) => at(index)) };
    case "list":
      return { ...node, items: names.map((_, index) => at(index)) };
    case "map":
      return { ...node, entries: node.entries.map(({ key }, index) => ({ key, value: at(index) })) };
    default:
      return node;
  }
}
