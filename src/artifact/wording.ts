import { unreachable } from "../base/invariant.js";
import type { Json } from "../base/json.js";
import type { CompiledOperator } from "./compiled-value.js";

const LONGEST = 200;

/** A value for a refusal: JSON on one line, cut where it is long. */
export function show(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
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
