import { defineExpressionRule } from "./expression-rule.js";

/** A name that stands for nothing could never be judged. */
export const unknownVariable = defineExpressionRule("unknown_variable", {
  what: "An expression reads a name that is neither a variable, nor a `let`, nor the item of a macro around it; or `output` before there is one.",
  why: "The guard could not judge the rule.",
  fix: "Correct the name, or name the expression in `let`.",
});
