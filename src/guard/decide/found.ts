import type { CompiledInvariant, CompiledOperator } from "../../artifact/compiled-value.js";
import { type Json, typeOf } from "../../base/json.js";
import { lengthOf } from "../../base/length.js";
import { show } from "../../base/wording.js";
import { partsOf } from "../../operators/index.js";
import { type Environment, judgeOperator } from "../values/judge-value.js";
import { readAll } from "../values/read-path.js";

/** The path of an entry, and its operators. */
type Entry = Pick<CompiledInvariant, "path" | "operators">;

/** The length of a value, for refusals that are about nothing else: the value itself is longer and may be private. */
export function shownLength(value: Json): string {
  const length = lengthOf(value);
  return length === null ? `a value of type ${typeOf(value)}` : `length ${length}`;
}

function isOfLength(operator: CompiledOperator): boolean {
  return partsOf(operator).shows === "length";
}

const VARIABLE = "environment variable ";

/** Whether what was found is that a variable is unset, which no argument can help; values are told as JSON, and never begin so. */
export function tellsUnset(found: string): boolean {
  return found.startsWith(VARIABLE);
}

/** An unset variable that an entry compares with, as what was found; null if all are set. */
export function unsetVariable(entries: readonly Pick<Entry, "operators">[], env: Environment): string | null {
  for (const { operators } of entries) {
    for (const operator of operators) {
      const name = partsOf(operator).variable(operator);
      if (name !== null && !env.has(name)) return `${VARIABLE}${name} is unset`;
    }
  }
  return null;
}

/** The value that does not satisfy an entry, in a few words; built only when a call is refused. */
export function foundBy(entry: Entry, root: Json, env: Environment): string {
  const { path, operators } = entry;
  const unset = unsetVariable([entry], env);
  if (unset !== null) return unset;
  const values = readAll(path, root);
  const ofLength = operators.filter(isOfLength);
  const wrong = values.find((value) => ofLength.some((operator) => judgeOperator(operator, value, env) !== true));
  if (wrong !== undefined) return shownLength(wrong);
  return path.kind === "definite" || values.length === 0 ? show(values[0]) : show(values);
}
