import type { CompiledInvariant, CompiledOperator } from "../artifact/compiled-value.js";
import { judgePlain, lengthOf } from "../artifact/judge-plain.js";
import { show } from "../artifact/wording.js";
import { type Json, typeOf } from "../base/json.js";
import type { Environment } from "./judge-value.js";
import { readAll } from "./read-path.js";

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

const VARIABLE = "environment variable ";

/** Whether what was found is that a variable is unset, which no argument can help; values are told as JSON, and never begin so. */
export function tellsUnset(found: string): boolean {
  return found.startsWith(VARIABLE);
}

/** A variable that an entry compares with and that is not set, as what was found; null where all are set. */
export function unsetVariable(entries: readonly Pick<Entry, "operators">[], env: Environment): string | null {
  for (const { operators } of entries) {
    for (const operator of operators) {
      if (operator.op === "equals_env" && !env.has(operator.name)) return `${VARIABLE}${operator.name} is unset`;
    }
  }
  return null;
}

/** What an entry found that does not satisfy it, in a few words; built only where a call is refused. */
export function foundBy(entry: Entry, root: Json, env: Environment): string {
  const { path, operators } = entry;
  const unset = unsetVariable([entry], env);
  if (unset !== null) return unset;
  const values = readAll(path, root);
  const ofLength = operators.filter(isOfLength);
  const wrong = values.find((value) => ofLength.some((operator) => judgePlain(operator, value) !== true));
  if (wrong !== undefined) return shownLength(wrong);
  return path.kind === "definite" || values.length === 0 ? show(values[0]) : show(values);
}
