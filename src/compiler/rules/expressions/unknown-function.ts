import { defineExpressionRule } from "./expression-rule.js";

/** A function that the guard does not have could never be judged. */
export const unknownFunction = defineExpressionRule("unknown_function", {
  what: "An expression calls a function that contracts do not have.",
  why: "The guard could not judge the rule.",
  fix: "Use one of the functions of the language; the help names the one that is most likely meant.",
});
