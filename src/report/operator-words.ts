import type { CompiledOperator } from "../artifact/compiled-value.js";
import { show, wanted } from "../artifact/wording.js";

/** `5,000,000`: long numbers in groups, or their size cannot be seen. */
export function amount(value: number): string {
  const [whole = "", ...rest] = String(value).split(".");
  return /^-?\d{5,}$/.test(whole) ? [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...rest].join(".") : String(value);
}

/** `a, b or c`. */
export function listed(parts: readonly string[], last: "and" | "or"): string {
  const [only = "", ...others] = parts;
  const end = others.pop();
  return end === undefined ? only : `${[only, ...others].join(", ")} ${last} ${end}`;
}

/** What a type is called by people who write no programs. */
export const TYPE_WORDS: Readonly<Record<Extract<CompiledOperator, { readonly op: "type" }>["value"], string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "nothing",
};

const LONGEST = 200;

function oneOf(values: Extract<CompiledOperator, { readonly op: "one_of" }>["values"]): string {
  const text = listed(values.map(show), "or");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A pattern set apart like a name; one that has the sign for that in it stands as it is. */
function patternWords(source: string): string {
  return `matching the pattern ${source.includes("`") ? source : `\`${source}\``}`;
}

/** What an operator asks for, in words for people who read no YAML and no JSON. */
export function asked(operator: CompiledOperator): string {
  switch (operator.op) {
    case "exists":
      return operator.value ? "given" : "absent";
    case "type":
      return TYPE_WORDS[operator.value];
    case "one_of":
      return `equal to ${oneOf(operator.values)}`;
    case "regex":
      return patternWords(operator.pattern.source);
    case "gte":
      return `at least ${amount(operator.value)}`;
    case "lte":
      return `at most ${amount(operator.value)}`;
    case "gt":
      return `greater than ${amount(operator.value)}`;
    case "lt":
      return `less than ${amount(operator.value)}`;
    default:
      return wanted(operator);
  }
}
