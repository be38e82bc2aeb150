import type { CompiledInvariant, CompiledOperator } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { partsOf } from "../../operators/index.js";
import type { Judgement } from "../../operators/judgement.js";
import type { Engine, Environment, Judge } from "../../operators/operator.js";
import { matcherOf } from "./match-pattern.js";
import { readAll, readDefinite } from "./read-path.js";

export type { Environment };

/** The operators on the values at a path. */
interface Entry {
  readonly path: JsonPath;
  readonly operators: readonly CompiledOperator[];
}

/** Operators prepared to judge together. */
interface Prepared {
  readonly judges: readonly Judge[];
  /** Their judgement of a missing value. */
  readonly absent: Judgement;
}

/** The pattern engine of decisions. */
export const ENGINE: Engine = { matcherOf };

/** Prepares an operator to judge present values. */
export function judgeOf(operator: CompiledOperator): Judge {
  return partsOf(operator).judge(operator, ENGINE);
}

/** Judges one present value. */
export function judgeOperator(operator: CompiledOperator, value: Json, env: Environment): Judgement {
  return judgeOf(operator)(value, env);
}

/** False if one is false, else unknown if one is. */
function join(judgements: readonly Judgement[]): Judgement {
  if (judgements.includes(false)) return false;
  return judgements.includes(null) ? null : true;
}

const known = new WeakMap<readonly CompiledOperator[], Prepared>();

/** Prepared once for the operators of an entry; they do not change. */
function prepare(operators: readonly CompiledOperator[]): Prepared {
  const before = known.get(operators);
  if (before !== undefined) return before;
  const absent = join(operators.map((operator) => partsOf(operator).absent(operator)));
  const prepared = { judges: operators.map(judgeOf), absent };
  known.set(operators, prepared);
  return prepared;
}

/** Judges a value, or its absence, by all operators of an entry: false if one is false, else unknown if one is. */
function judgeAll({ judges, absent }: Prepared, value: Json | undefined, env: Environment): Judgement {
  if (value === undefined) return absent;
  let judgement: Judgement = true;
  for (const judge of judges) {
    const one = judge(value, env);
    if (one === false) return false;
    if (one === null) judgement = null;
  }
  return judgement;
}

/** Judges one present value by several operators, each on its own. */
export function judgeEach(operators: readonly CompiledOperator[], value: Json, env: Environment): readonly Judgement[] {
  return prepare(operators).judges.map((judge) => judge(value, env));
}

/**
 * Judges the values at a path, one after the other. `decisive` is the judgement of one value that decides the whole: false if
 * every value must satisfy the entry, true if one of them is enough.
 */
function judgeFound({ path, operators }: Entry, root: Json, env: Environment, decisive: boolean): Judgement {
  const prepared = prepare(operators);
  if (path.kind === "definite") return judgeAll(prepared, readDefinite(path.steps, root), env);
  const values = readAll(path, root);
  if (values.length === 0) return prepared.absent;
  let judgement: Judgement = !decisive;
  for (const value of values) {
    const one = judgeAll(prepared, value, env);
    if (one === decisive) return decisive;
    if (one === null) judgement = null;
  }
  return judgement;
}

/** Judges the values at a path by all operators of an entry: every value must satisfy them. */
export function judgeEntry(entry: Entry, root: Json, env: Environment): Judgement {
  return judgeFound(entry, root, env, false);
}

/**
 * Judges a condition that restricts where it holds, such as a `deny` or the `when` of a checkpoint: one value that satisfies all
 * operators is enough. A value that it cannot judge restricts too.
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
