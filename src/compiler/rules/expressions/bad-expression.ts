import { defineExpressionRule } from "./expression-rule.js";

/** A text that is no expression cannot be judged. */
export const badExpression = defineExpressionRule("bad_expression", {
  what: "The text of a rule is no expression, or calls a function in a way that it is not called.",
  why: "Nothing can be judged then, and what was meant is only a guess.",
  fix: "Write the expression as the help shows; a block (`that: |`) keeps YAML from changing it.",
});
