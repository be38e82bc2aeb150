import type { CompiledInvariant, CompiledOperator } from "../../artifact/compiled-value.js";
import { type Json, typeOf } from "../../base/json.js";
import { lengthOf } from "../../base/length.js";
import { show } from "../../base/wording.js";
import { partsOf } from "../../operators/index.js";
import { type Environment, judgeOperator } from "../values/judge-value.js";
import { readAll, readDefinite } from "../values/read-path.js";

/** What an entry looks at, and what it asks of that. */
type Entry = Pick<CompiledInvariant, "path" | "operators">;

/** How long a value is, for refusals that are about nothing else: a long value would say it worse, and tell what it holds. */
export function shownLength(value: Json): string {
  const length = lengthOf(value);
  return length === null ? `a value of type ${typeOf(value)}` : `length ${length}`;
}

function isOfLength(operator: CompiledOperator): boolean {
  return partsOf(operator).shows === "length";
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
    const name = partsOf(operator).variable(operator);
    if (name !== null && !env.has(name)) return `environment variable ${name} is unset`;
  }
  return null;
}

function isOfWrongLength(operators: Entry["operators"], value: Json, env: Environment): boolean {
  for (const operator of operators)
    if (isOfLength(operator) && judgeOperator(operator, value, env) !== true) return true;
  return false;
}

/** What an entry found that does not satisfy it, in a few words; built only where a call is refused. */
export function foundBy({ path, operators }: Entry, root: Json, env: Environment): string {
  const unset = unsetIn(operators, env);
  if (unset !== null) return unset;
  if (path.kind === "definite") {
    const value = readDefinite(path.steps, root);
    return value !== undefined && isOfWrongLength(operators, value, env) ? shownLength(value) : show(value);
  }
  const values = readAll(path, root);
  const wrong = values.find((value) => isOfWrongLength(operators, value, env));
  if (wrong !== undefined) return shownLength(wrong);
  return values.length === 0 ? show(undefined) : show(values);
}
