import type { CompiledInvariant, CompiledOperator } from "../../artifact/compiled-value.js";
import { type Json, typeOf } from "../../base/json.js";
import { lengthOf } from "../../base/length.js";
import { show, showPart } from "../../base/wording.js";
import { partsOf } from "../../operators/index.js";
import { type Environment, judgeOperator } from "../values/judge-value.js";
import { readAll, readDefinite } from "../values/read-path.js";

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

/** An unset variable that an entry compares with, as what was found; null if all are set. */
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

/** Whether a refusal found an unset variable. Texts of a call are quoted where they are shown, so that none reads like this. */
export function isUnsetVariable(found: string): boolean {
  return /^environment variable .+ is unset$/s.test(found);
}

function isOfWrongLength(operators: Entry["operators"], value: Json, env: Environment): boolean {
  for (const operator of operators)
    if (isOfLength(operator) && judgeOperator(operator, value, env) !== true) return true;
  return false;
}

/** The value that does not satisfy an entry, in a few words; built only when a call is refused. */
export function foundBy({ path, operators }: Entry, root: Json, env: Environment): string {
  const unset = unsetIn(operators, env);
  if (unset !== null) return unset;
  if (path.kind === "definite") {
    const value = readDefinite(path.steps, root);
    return value !== undefined && isOfWrongLength(operators, value, env) ? shownLength(value) : showPart(value, root);
  }
  const values = readAll(path, root);
  const wrong = values.find((value) => isOfWrongLength(operators, value, env));
  if (wrong !== undefined) return shownLength(wrong);
  // The others may be all that there is.
  const failing = values.find((value) => !operators.every((operator) => judgeOperator(operator, value, env) === true));
  return failing === undefined ? show(values[0]) : showPart(failing, root);
}
