import { listed, quoted } from "../../../diagnostics/wording.js";
import { defineRule } from "../../rule.js";
import { isMisplacedOperator, isOperator, presentKeys } from "./unknown-key.js";

interface Params {
  readonly key: string;
  readonly known: readonly string[];
  readonly where: string;
}

/** Operators come in families; one from another family would not be evaluated at this place. */
export const operatorNotAllowed = defineRule<Params>({
  code: "operator_not_allowed",
  stage: "read",
  severity: "error",
  what: "An entry uses an operator of another family.",
  why: "Each place of the language has its own set of operators; any other would not be evaluated there.",
  fix: "Use an operator of this place, or move the check to one that has the operator, such as `execution_constraints`.",
  message: ({ key, where }) => `the operator ${quoted(key)} cannot be used in ${quoted(where)}`,
  help({ key, known }) {
    if (key === "equals" && known.includes("exact_match"))
      return "use `exact_match` for a string or `one_of` for other values";
    if (key === "exact_match" && known.includes("equals")) return "use `equals`";
    return `use ${listed(known.filter(isOperator))}`;
  },
  check(context, report) {
    for (const problem of context.problems("unknown_key")) {
      if (!isMisplacedOperator(problem)) continue;
      report(problem.span, { ...problem, known: presentKeys(problem, context.version()) });
    }
  },
});
