import { defineExpressionRule } from "./expression-rule.js";

/** CEL has more than contracts need, and what is left out has no meaning here. */
export const unsupportedExpression = defineExpressionRule("unsupported_expression", {
  what: "An expression uses a part of CEL that contracts do not have: bytes, messages, types, optional values.",
  why: "Values of contracts are JSON, so these parts have no meaning.",
  fix: "Write what the help shows instead.",
});
