import { isMultipleOf } from "../base/decimal.js";
import { deepEqual } from "../base/equal.js";
import { unreachable } from "../base/invariant.js";
import { isJsonList, type Json, type TypeName, typeOf } from "../base/json.js";
import type { CompiledOperator } from "./compiled-value.js";

/** What a test of a value gives; null where it cannot be judged. */
export type Judgement = boolean | null;

/** Code points of a string, items of a list. */
export function lengthOf(value: Json): number | null {
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

/** Whether a value is of a type as contracts name it. */
export function isOfType(value: Json, type: TypeName): boolean {
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

/** The operators that need nothing but the value: no engine for patterns, no environment. */
export type PlainOperator = Exclude<CompiledOperator, { readonly op: "regex" | "equals_env" }>;

/** Judges one value that is there; what compiler and guard say about a value is said here. */
export function judgePlain(operator: PlainOperator, value: Json): Judgement {
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
    default:
      return unreachable(operator);
  }
}
