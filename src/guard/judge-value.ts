import type { CompiledInvariant, CompiledOperator } from "../artifact/compiled-value.js";
import { type Judgement, judgePlain } from "../artifact/judge-plain.js";
import type { Json } from "../base/json.js";
import type { JsonPath } from "../base/json-path.js";
import { matchPattern } from "./match-pattern.js";
import { readAll, readDefinite } from "./read-path.js";

/** The environment variables that `equals_env` may read, as they were when the guard was made. */
export type Environment = ReadonlyMap<string, string>;

/** What is judged at a path. */
interface Entry {
  readonly path: JsonPath;
  readonly operators: readonly CompiledOperator[];
}

function equalsEnv(value: Json, name: string, env: Environment): Judgement {
  const expected = env.get(name);
  return expected === undefined || typeof value !== "string" ? null : value === expected;
}

/** Judges one value that is there. */
export function judgeOperator(operator: CompiledOperator, value: Json, env: Environment): Judgement {
  switch (operator.op) {
    case "regex":
      return typeof value === "string" ? matchPattern(operator.pattern, value) : null;
    case "equals_env":
      return equalsEnv(value, operator.name, env);
    default:
      return judgePlain(operator, value);
  }
}

/** Judges a value, or its absence, by all operators of an entry: false if one is false, else unknown if one is. */
function judgeAll(operators: readonly CompiledOperator[], value: Json | undefined, env: Environment): Judgement {
  let judgement: Judgement = true;
  for (const operator of operators) {
    const one = value === undefined ? judgeAbsence(operator) : judgeOperator(operator, value, env);
    if (one === false) return false;
    if (one === null) judgement = null;
  }
  return judgement;
}

function judgeAbsence(operator: CompiledOperator): Judgement {
  return operator.op === "exists" ? !operator.value : null;
}

/**
 * Judges what a path finds, one value after the other. `decisive` is the judgement of one value that settles the whole: false
 * where every value must satisfy the entry, true where any of them is enough.
 */
function judgeFound({ path, operators }: Entry, root: Json, env: Environment, decisive: boolean): Judgement {
  if (path.kind === "definite") return judgeAll(operators, readDefinite(path.steps, root), env);
  const values = readAll(path, root);
  if (values.length === 0) return judgeAll(operators, undefined, env);
  let judgement: Judgement = !decisive;
  for (const value of values) {
    const one = judgeAll(operators, value, env);
    if (one === decisive) return decisive;
    if (one === null) judgement = null;
  }
  return judgement;
}

/** Judges what a path finds in a value by all operators of an entry: every value must satisfy them. */
export function judgeEntry(entry: Entry, root: Json, env: Environment): Judgement {
  return judgeFound(entry, root, env, false);
}

/**
 * Judges a condition that closes something where it holds, as a `deny` or the `when` of a checkpoint: one value that
 * satisfies all operators is enough. What such a condition cannot judge closes too.
 */
export function judgeClosing(entry: Entry, root: Json, env: Environment): Judgement {
  return judgeFound(entry, root, env, true);
}

/** Judges several entries together: false if one is false, else unknown if one is. */
export function judgeEntries(
  entries: readonly CompiledInvariant[],
  root: Json,
  env: Environment,
  judge = judgeEntry,
): Judgement {
  let judgement: Judgement = true;
  for (const entry of entries) {
    const one = judge(entry, root, env);
    if (one === false) return false;
    if (one === null) judgement = null;
  }
  return judgement;
}
