import type { CompiledInvariant, CompiledOperator } from "../artifact/compiled-value.js";
import { judgePlain, lengthOf } from "../artifact/judge-plain.js";
import { show } from "../artifact/wording.js";
import { type Json, typeOf } from "../base/json.js";
import type { Environment } from "./judge-value.js";
import { readAll, readDefinite } from "./read-path.js";

/** What an entry looks at, and what it asks of that. */
type Entry = Pick<CompiledInvariant, "path" | "operators">;

/** How long a value is, for refusals that are about nothing else: a long value would say it worse, and tell what it holds. */
export function shownLength(value: Json): string {
  const length = lengthOf(value);
  return length === null ? `a value of type ${typeOf(value)}` : `length ${length}`;
}

function isOfLength(
  operator: CompiledOperator,
): operator is CompiledOperator & { readonly op: `length_${"gte" | "lte"}` } {
  return operator.op === "length_gte" || operator.op === "length_lte";
}

/** A variable that an entry compares with and that is not set, as what was found; null where all are set. */
export function unsetVariable(entries: readonly Pick<Entry, "operators">[], env: Environment): string | null {
  for (const { operators } of entries) {
    const unset = unsetIn(operators, env);
    if (unset !== null) return unset;
  }
  return null;
}

function unsetIn(operators: Entry["operators"], env: Environment): string | null {
  for (const operator of operators) {
    if (operator.op === "equals_env" && !env.has(operator.name))
      return `environment variable ${operator.name} is unset`;
  }
  return null;
}

function isOfWrongLength(operators: Entry["operators"], value: Json): boolean {
  for (const operator of operators) if (isOfLength(operator) && judgePlain(operator, value) !== true) return true;
  return false;
}

/** What an entry found that does not satisfy it, in a few words; built only where a call is refused. */
export function foundBy({ path, operators }: Entry, root: Json, env: Environment): string {
  const unset = unsetIn(operators, env);
  if (unset !== null) return unset;
  if (path.kind === "definite") {
    const value = readDefinite(path.steps, root);
    return value !== undefined && isOfWrongLength(operators, value) ? shownLength(value) : show(value);
  }
  const values = readAll(path, root);
  const wrong = values.find((value) => isOfWrongLength(operators, value));
  if (wrong !== undefined) return shownLength(wrong);
  return values.length === 0 ? show(undefined) : show(values);
}
