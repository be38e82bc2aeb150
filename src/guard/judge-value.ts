import type { CompiledInvariant, CompiledOperator } from "../artifact/compiled-value.js";
import { isMultipleOf } from "../base/decimal.js";
import { deepEqual } from "../base/equal.js";
import { unreachable } from "../base/invariant.js";
import { isJsonList, type Json, type TypeName, typeOf } from "../base/json.js";
import type { JsonPath } from "../base/json-path.js";
import { matchPattern } from "./match-pattern.js";
import { readAll, readDefinite } from "./read-path.js";

/** The environment variables that `equals_env` may read, as they were when the guard was made. */
export type Environment = ReadonlyMap<string, string>;

/** What a test of a value gives; null where it cannot be judged. */
export type Judgement = boolean | null;

/** Code points of a string, items of a list. */
function lengthOf(value: Json): number | null {
  if (isJsonList(value)) return value.length;
  if (typeof value !== "string") return null;
  let length = value.length;
  for (let at = 0; at < value.length - 1; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = value.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) length -= 1;
  }
  return length;
}

function isOfType(value: Json, type: TypeName): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

function equals(value: Json, expected: Json): Judgement {
  if (value === expected) return true;
  return typeOf(value) === typeOf(expected) ? deepEqual(value, expected) : null;
}

function isOneOf(value: Json, expected: readonly Json[]): Judgement {
  let isComparable = false;
  for (const candidate of expected) {
    const judgement = equals(value, candidate);
    if (judgement === true) return true;
    if (judgement === false) isComparable = true;
  }
  return isComparable ? false : null;
}

function contains(value: Json, part: Json): Judgement {
  if (typeof value === "string") return typeof part === "string" ? value.includes(part) : null;
  return isJsonList(value) ? value.some((item) => deepEqual(item, part)) : null;
}

function ordered(value: Json, test: (number: number) => boolean): Judgement {
  return typeof value === "number" ? test(value) : null;
}

function long(value: Json, test: (length: number) => boolean): Judgement {
  const length = lengthOf(value);
  return length === null ? null : test(length);
}

function equalsEnv(value: Json, name: string, env: Environment): Judgement {
  const expected = env.get(name);
  return expected === undefined || typeof value !== "string" ? null : value === expected;
}

/** Judges one value that is there. */
export function judgeOperator(operator: CompiledOperator, value: Json, env: Environment): Judgement {
  switch (operator.op) {
    case "equals":
      return equals(value, operator.value);
    case "exists":
      return (value !== null) === operator.value;
    case "type":
      return isOfType(value, operator.value);
    case "contains":
      return contains(value, operator.value);
    case "one_of":
      return isOneOf(value, operator.values);
    case "regex":
      return typeof value === "string" ? matchPattern(operator.pattern, value) : null;
    case "gte":
      return typeof value === "number" ? value >= operator.value : null;
    case "lte":
      return typeof value === "number" ? value <= operator.value : null;
    case "gt":
      return ordered(value, (number) => number > operator.value);
    case "lt":
      return ordered(value, (number) => number < operator.value);
    case "multiple_of":
      return ordered(value, (number) => isMultipleOf(number, operator.value));
    case "length_gte":
      return long(value, (length) => length >= operator.value);
    case "length_lte":
      return long(value, (length) => length <= operator.value);
    case "equals_env":
      return equalsEnv(value, operator.name, env);
    default:
      return unreachable(operator);
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

/** Judges what a path finds in a value by all operators of an entry. */
export function judgeEntry(
  entry: { readonly path: JsonPath; readonly operators: readonly CompiledOperator[] },
  root: Json,
  env: Environment,
): Judgement {
  const { path, operators } = entry;
  if (path.kind === "definite") return judgeAll(operators, readDefinite(path.steps, root), env);
  const values = readAll(path, root);
  if (values.length === 0) return judgeAll(operators, undefined, env);
  let judgement: Judgement = true;
  for (const value of values) {
    const one = judgeAll(operators, value, env);
    if (one === false) return false;
    if (one === null) judgement = null;
  }
  return judgement;
}

/** Judges several entries together: false if one is false, else unknown if one is. */
export function judgeEntries(entries: readonly CompiledInvariant[], root: Json, env: Environment): Judgement {
  let judgement: Judgement = true;
  for (const entry of entries) {
    const one = judgeEntry(entry, root, env);
    if (one === false) return false;
    if (one === null) judgement = null;
  }
  return judgement;
}
