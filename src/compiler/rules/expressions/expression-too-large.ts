import { defineExpressionRule } from "./expression-rule.js";

/** Bounds on expressions keep every judgement short. */
export const expressionTooLarge = defineExpressionRule("expression_too_large", {
  what: "An expression is longer than 4,096 characters after `let`, has more than 500 parts, or nests more than three macros.",
  why: "Judging a call has to stay short, whatever the arguments are.",
  fix: "Split it into several entries, each with its own reason.",
});
