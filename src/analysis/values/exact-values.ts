import type { CompiledOperator } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import { ANYTHING, type Domain, intersect, PRESENT } from "../../domain/domain.js";
import type { Found } from "../../domain/found.js";
import { type Member, someMember } from "../../domain/members.js";
import { acceptedBy, refusedBy } from "../../domain/of-operator.js";
import type { Environment } from "../../guard/values/judge-value.js";
import { partsOf } from "../../operators/index.js";
import { first } from "../model/caps.js";

/** An operator with the text of the variable that it reads in its place. */
function resolved(operator: CompiledOperator, env: Environment): CompiledOperator {
  const name = partsOf(operator).variable(operator);
  const value = name === null ? undefined : env.get(name);
  return value === undefined ? operator : { op: "equals", value };
}

function valueIn(member: Found<Member>): readonly Json[] {
  return member.kind !== "found" || member.value.content === undefined ? [] : [member.value.content];
}

/** A value that all of several operators accept, and for each of them one that it alone refuses, where there are such values. */
export function exactValues(operators: readonly CompiledOperator[], env: Environment): readonly Json[] {
  if (operators.length < 2) return [];
  const known = first(operators, "values_exact").map((operator) => resolved(operator, env));
  const accepted = known.map(acceptedBy);
  const all = (domains: readonly Domain[]) => domains.reduce(intersect, ANYTHING);
  const alone = known.flatMap((operator, at) => {
    const others = all(accepted.filter((_, other) => other !== at));
    return valueIn(someMember(intersect(others, intersect(PRESENT, refusedBy(operator)))));
  });
  return [...valueIn(someMember(intersect(PRESENT, all(accepted)))), ...alone];
}
