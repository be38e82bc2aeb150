import type { CompiledOperator } from "../../../artifact/compiled-value.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { ENGINE, judgeOperator } from "../../../guard/values/judge-value.js";
import { domainOf, mayHold, partsOf } from "../../../operators/index.js";
import type { Other } from "../../../operators/operator.js";

const NO_ENVIRONMENT: ReadonlyMap<string, string> = new Map();

function described(operator: CompiledOperator): Other {
  return {
    op: operator.op,
    operand: partsOf(operator).operand(operator),
    domain: domainOf(operator),
    mayHold: (value) => mayHold(operator, value, ENGINE),
  };
}

/** Whether every value that satisfies the new operator satisfies the old one. */
export function holdsThen(now: CompiledOperator, then: CompiledOperator): boolean {
  const { values } = domainOf(now).accepts;
  if (values !== null) return values.every((value) => judgeOperator(then, value, NO_ENVIRONMENT) === true);
  return partsOf(then).isImpliedBy(then, described(now));
}

/** Whether an absent value that surely fails the new operator surely fails the old one. */
function failsAbsence(now: CompiledOperator, then: CompiledOperator): boolean {
  return partsOf(now).absent(now) !== false || partsOf(then).absent(then) === false;
}

/** Whether every value that surely fails the new operator surely fails the old one; an unjudgeable value fails neither. */
export function failsThen(now: CompiledOperator, then: CompiledOperator): boolean {
  if (canonicalJson(now) === canonicalJson(then)) return true;
  if (!failsAbsence(now, then)) return false;
  const { values } = domainOf(now).refuses;
  if (values !== null) return values.every((value) => judgeOperator(then, value, NO_ENVIRONMENT) === false);
  return partsOf(then).failsWherever(then, described(now));
}
