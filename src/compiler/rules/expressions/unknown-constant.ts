import { defineExpressionRule } from "./expression-rule.js";

/** A constant that is not declared has no value. */
export const unknownConstant = defineExpressionRule("unknown_constant", {
  what: "An expression reads a constant that session.yaml does not declare.",
  why: "It has no value, so the rule could never be judged.",
  fix: "Correct the name, or add the constant to `constants` in session.yaml.",
});
