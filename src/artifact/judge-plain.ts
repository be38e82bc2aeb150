import { spend } from "../base/cost.js";
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
  return typeof value === "string" ? codePoints(value) : null;
}

/** Whether a text has fewer code points than a count (negative), just as many, or more; most texts need no counting. */
export function compareLength(text: string, count: number): number {
  if (text.length < count) return -1;
  // A code point takes two units at most.
  if (text.length > 2 * count) return 1;
  return codePoints(text) - count;
}

function codePoints(value: string): number {
  spend(value.length >> 1);
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
  spend(2 * expected.length);
  let isComparable = false;
  for (const candidate of expected) {
    const judgement = equals(value, candidate);
    if (judgement === true) return true;
    if (judgement === false) isComparable = true;
  }
  return isComparable ? false : null;
}

function contains(value: Json, part: Json): Judgement {
  if (typeof value === "string") return typeof part === "string" ? includes(value, part) : null;
  if (!isJsonList(value)) return null;
  spend(2 * value.length);
  return value.some((item) => deepEqual(item, part));
}

/** V8 remembers so much of the end of a part; what it compares beyond, it may compare again with every character. */
const MOST_SEARCHED = 250;

function includes(text: string, part: string): boolean {
  // Measured: up to 5 ns a character, where the part begins everywhere and is nowhere.
  spend(text.length + (text.length >> 2));
  if (part.length <= MOST_SEARCHED) return text.includes(part);
  const head = part.slice(0, MOST_SEARCHED);
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    spend(64 + (part.length >> 2));
    if (text.startsWith(part, at)) return true;
  }
  return false;
}

function ordered(value: Json, test: (number: number) => boolean): Judgement {
  return typeof value === "number" ? test(value) : null;
}

/** How the length of a value compares with a count. */
function long(value: Json, count: number, test: (difference: number) => boolean): Judgement {
  if (typeof value === "string") return test(compareLength(value, count));
  return isJsonList(value) ? test(value.length - count) : null;
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
      return long(value, operator.value, (difference) => difference >= 0);
    case "length_lte":
      return long(value, operator.value, (difference) => difference <= 0);
    default:
      return unreachable(operator);
  }
}
