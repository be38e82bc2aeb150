import type { CompiledOperator } from "../artifact/compiled-value.js";
import { listed } from "../base/wording.js";
import { partsOf } from "../operators/index.js";
import { BE, type Verb } from "../operators/operator.js";

function clause(operator: CompiledOperator, form: keyof Verb): string {
  const { verb, sentence } = partsOf(operator).words;
  return verb[form] === "" ? sentence(operator) : `${verb[form]} ${sentence(operator)}`;
}

/** What an operator requires, in words for people who do not read YAML or JSON: `at least 5`. */
export function asked(operator: CompiledOperator): string {
  return clause(operator, "feature");
}

/** Several of them after one verb if possible: `be at least 1 and at most 9`. */
export function clauses(operators: readonly CompiledOperator[], form: "duty" | "fact"): string {
  const isPlain = operators.every((operator) => partsOf(operator).words.verb === BE);
  if (isPlain) return `${BE[form]} ${listed(operators.map(asked), "and")}`;
  return operators.map((operator) => clause(operator, form)).join(" and ");
}
