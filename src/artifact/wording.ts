import { unreachable } from "../base/invariant.js";
import { isJsonList, isJsonObject, type Json } from "../base/json.js";
import type { CompiledOperator } from "./compiled-value.js";

const LONGEST = 200;

/** JSON of a value, or at least its first LONGEST characters: what is refused may be very large. */
function beginningOf(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, LONGEST + 1));
  if (isJsonList(value)) return `[${beginningOfAll(value, beginningOf)}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value);
  return `{${beginningOfAll(entries, ([key, item]) => `${beginningOf(key)}:${beginningOf(item)}`)}}`;
}

function beginningOfAll<T>(items: readonly T[], write: (item: T) => string): string {
  let text = "";
  for (const item of items) {
    if (text.length > LONGEST) break;
    text += `${text === "" ? "" : ","}${write(item)}`;
  }
  return text;
}

/** A value for a refusal: JSON on one line, cut where it is long. */
export function show(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = beginningOf(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
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
      return `matching ${operator.pattern.source}`;
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
  return `${path} ${operators.map(wanted).join(" and ")}`;
}
