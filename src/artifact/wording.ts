import { unreachable } from "../base/invariant.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.js";
import type { CompiledOperator } from "./compiled-value.js";

const LONGEST = 200;

/** Characters of what a refusal requires or found, at most: a contract may list thousands of alternatives. */
const LONGEST_TEXT = 2000;

/** Texts that JSON writes as they are: `JSON.stringify` takes three times as long to find that out. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** JSON of a value, or at least its first `longest` characters: what is refused may be very large. */
function beginningOf(value: Json, longest: number): string {
  if (typeof value === "string") return quoted(value.slice(0, longest + 1));
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (isJsonList(value)) return `[${beginningOfAll(value, (item) => beginningOf(item, longest), { longest })}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const write = (key: string) => `${beginningOf(key, longest)}:${beginningOf(value[key] ?? null, longest)}`;
  return `{${beginningOfAll(firstKeys(value, longest), write, { longest })}}`;
}

/** Each key takes a few characters, so no more are needed; listing them all may take seconds. */
function firstKeys(value: JsonObject, most: number): readonly string[] {
  const keys: string[] = [];
  for (const key in value) {
    if (keys.length >= most) break;
    if (Object.hasOwn(value, key)) keys.push(key);
  }
  return keys;
}

function beginningOfAll<T>(
  items: Iterable<T>,
  write: (item: T) => string,
  { longest, separator = "," }: { readonly longest: number; readonly separator?: string },
): string {
  let text = "";
  for (const item of items) {
    if (text.length > longest) break;
    text += `${text === "" ? "" : separator}${write(item)}`;
  }
  return text;
}

function cutAt(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A text of a refusal, cut where it is long. */
export function cut(text: string): string {
  return cutAt(text, LONGEST_TEXT);
}

/** Parts of a text of a refusal; no more of them are written than will be shown. */
export function joined<T>(items: readonly T[], write: (item: T) => string, separator: string): string {
  return cut(beginningOfAll(items, write, { longest: LONGEST_TEXT, separator }));
}

/** A value for a refusal: JSON on one line, cut where it is long. */
export function show(value: Json | undefined): string {
  // Most values are short, and stand here as they are.
  if (typeof value === "string" && value.length < LONGEST - 1 && PLAIN.test(value)) return `"${value}"`;
  return value === undefined ? "nothing" : cutAt(beginningOf(value, LONGEST), LONGEST);
}

/** A value that a contract asks for: shown whole, unless no refusal could hold it. */
export function shownWhole(value: Json): string {
  return cut(beginningOf(value, LONGEST_TEXT));
}

/** What an operator asks for, in words. */
export function wanted(operator: CompiledOperator): string {
  switch (operator.op) {
    case "equals":
      return `equal to ${show(operator.value)}`;
    case "exists":
      return operator.value ? "there and not null" : "absent or null";
    case "type":
      return `of type ${operator.value}`;
    case "contains":
      return `containing ${show(operator.value)}`;
    case "one_of":
      return `one of ${show(operator.values)}`;
    case "regex":
      return `matching ${cut(operator.pattern.source)}`;
    case "gte":
      return `at least ${operator.value}`;
    case "lte":
      return `at most ${operator.value}`;
    case "gt":
      return `greater than ${operator.value}`;
    case "lt":
      return `less than ${operator.value}`;
    case "multiple_of":
      return `a multiple of ${operator.value}`;
    case "length_gte":
      return `of length ${operator.value} or more`;
    case "length_lte":
      return `of length ${operator.value} or less`;
    case "equals_env":
      return `equal to the environment variable ${operator.name}`;
    default:
      return unreachable(operator);
  }
}

/** What an entry asks for, in words. */
export function wantedOf(path: string, operators: readonly CompiledOperator[]): string {
  return cut(`${path} ${joined(operators, wanted, " and ")}`);
}
