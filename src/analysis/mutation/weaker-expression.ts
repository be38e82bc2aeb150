import type { Expression, JudgedExpression } from "../../artifact/expression.js";
import { partText } from "../../guard/expression/part-text.js";

type Binary = Extract<Expression, { readonly kind: "binary" }>;

function weakerComparison(part: Binary): readonly Expression[] {
  if (part.op === "<") return [{ ...part, op: "<=" }];
  return part.op === ">" ? [{ ...part, op: ">=" }] : [];
}

/** Forms of an expression that are true wherever it is, each with one thing changed. What stands below `!` is left as it is. */
function weakerParts(part: Expression): readonly Expression[] {
  switch (part.kind) {
    case "and":
      return [
        part.left,
        part.right,
        ...weakerParts(part.left).map((left) => ({ ...part, left })),
        ...weakerParts(part.right).map((right) => ({ ...part, right })),
      ];
    case "or":
      return [
        ...weakerParts(part.left).map((left) => ({ ...part, left })),
        ...weakerParts(part.right).map((right) => ({ ...part, right })),
      ];
    case "binary":
      return weakerComparison(part);
    case "macro":
      if (part.test === null || (part.macro !== "all" && part.macro !== "exists")) return [];
      return weakerParts(part.test).map((test) => ({ ...part, test }));
    default:
      return [];
  }
}

/** The weaker forms of an expression. */
export function weakerExpressions({ tree }: JudgedExpression): readonly JudgedExpression[] {
  return weakerParts(tree).map((weaker) => ({ text: partText(weaker), tree: weaker }));
}
