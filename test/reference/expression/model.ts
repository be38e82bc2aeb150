import type { Evaluator } from "./compare/compare.js";
import { judge } from "./evaluate.js";
import { parseExpression } from "./language.js";

/** The reference as an evaluator of texts. */
export const evaluateByReference: Evaluator = (text, input) => {
  const parsed = parseExpression(text);
  return parsed.kind === "tree" ? judge(parsed.tree, input) : null;
};
