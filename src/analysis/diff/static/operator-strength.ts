import type { CompiledOperator } from "../../../artifact/compiled-value.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { type Domain, NOTHING, unite } from "../../../domain/domain.js";
import { acceptedByAll, refusedBy } from "../../../domain/of-operator.js";
import { isWithin } from "../../../domain/questions.js";

type Operators = readonly CompiledOperator[];

/** The operators that are not in a list; those in both need no comparison, even if nothing is known of them. */
function besides(operators: Operators, others: Operators): Operators {
  const texts = new Set(others.map(canonicalJson));
  return operators.filter((operator) => !texts.has(canonicalJson(operator)));
}

/** Whether every content that satisfies all new operators satisfies all old ones. */
export function holdThen(now: Operators, then: Operators): boolean {
  const old = besides(then, now);
  return old.length === 0 || isWithin(acceptedByAll(now), acceptedByAll(old)) === "yes";
}

function refusedByAny(operators: Operators): Domain {
  return operators.map(refusedBy).reduce(unite, NOTHING);
}

/** Whether every content that surely fails some new operator surely fails some old one; what cannot be judged fails none. */
export function failThen(now: Operators, then: Operators): boolean {
  const current = besides(now, then);
  return current.length === 0 || isWithin(refusedByAny(current), refusedByAny(then)) === "yes";
}
