import { defineExpressionRule } from "./expression-rule.js";

/** An expression that contains itself has no end. */
export const letCycle = defineExpressionRule("let_cycle", {
  what: "A `let` is part of what it stands for.",
  why: "It would never end to replace it.",
  fix: "Write out one of the expressions of the cycle.",
});
