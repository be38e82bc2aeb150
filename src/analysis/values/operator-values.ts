import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { isJsonList, isJsonObject, type Json } from "../../base/json.js";
import { type Environment, judgeEntry } from "../../guard/values/judge-value.js";
import { partsOf, samplesOf } from "../../operators/index.js";
import type { Judgement } from "../../operators/judgement.js";
import { first, isBeyond } from "../model/caps.js";
import { exactValues } from "./exact-values.js";
import { numbersNear, speaksOfNumbers } from "./number-values.js";
import { matchingTexts, otherTexts } from "./pattern-texts.js";
import { distinct } from "./value-list.js";

/** One value of each type, plainest first, and special ones that rules often miss. */
export const PLAIN_VALUES: readonly Json[] = ["text", 1, true, {}, [], ["text"], null, 0, "", 1.5, -1, false];

/** Judges a value by operators, as the guard does; null if unjudgeable, also because of a broken pattern. */
export function judgeBy(operators: readonly CompiledOperator[], value: Json, env: Environment): Judgement {
  try {
    return judgeEntry({ path: { kind: "definite", text: "$", steps: [] }, operators }, value, env);
  } catch (cause) {
    if (cause instanceof Error) return null;
    throw cause;
  }
}

/** Another value of the same type. */
function unlike(value: Json): readonly Json[] {
  if (typeof value === "string")
    return [`${value}x`, "other", "", value.slice(0, -1) + (value.endsWith("a") ? "b" : "a")];
  if (typeof value === "boolean") return [!value];
  if (isJsonList(value)) return [[...value, null], []];
  return isJsonObject(value) ? [{ ...value, other: null }, {}] : [];
}

/** The environment variable that an operator reads; null for none. */
export function variableOf(operator: CompiledOperator): string | null {
  return partsOf(operator).variable(operator);
}

/** Values in operators, and values of the variables that they read. */
function namedValues(operators: readonly CompiledOperator[], env: Environment): readonly Json[] {
  return operators.flatMap((operator) => {
    const variable = variableOf(operator);
    const held = variable === null ? undefined : env.get(variable);
    return [...first(samplesOf(operator).values, "values_listed"), ...(held === undefined ? [] : [held])];
  });
}

function lengthsOf(operators: readonly CompiledOperator[]): readonly number[] {
  const lengths = operators
    .flatMap((operator) => samplesOf(operator).lengths)
    .flatMap((length) => [length, length + 1, length - 1]);
  return [...new Set(lengths)].filter((length) => length >= 0 && !isBeyond(length, "length"));
}

function containedParts(operators: readonly CompiledOperator[]): readonly Json[] {
  return operators.flatMap((operator) => samplesOf(operator).parts);
}

/** A text with a number of characters. */
function stretched(text: string, length: number): string {
  const characters = [...text];
  if (characters.length >= length) return characters.slice(0, length).join("");
  return text + "a".repeat(length - characters.length);
}

function textValues(operators: readonly CompiledOperator[]): readonly string[] {
  const lengths = lengthsOf(operators);
  const patterns = operators.flatMap((operator) => samplesOf(operator).patterns);
  const parts = containedParts(operators).filter((part) => typeof part === "string");
  const texts = patterns.flatMap((pattern) => matchingTexts(pattern, lengths));
  const joined = parts.length === 0 ? [] : [parts.join(""), parts.join(" "), ...parts];
  const bases = [
    ...texts,
    ...joined,
    ...(parts.length + patterns.length + lengths.length > 0 ? ["text", "other"] : []),
  ];
  const fitted = (lengths.length === 0 ? [] : first(bases, "texts_stretched")).flatMap((text) =>
    lengths.map((length) => stretched(text, length)),
  );
  const other = patterns.flatMap(otherTexts);
  return [...bases, ...fitted, ...joined.map((text) => text.slice(1)), ...other];
}

function listValues(operators: readonly CompiledOperator[]): readonly Json[] {
  const parts = containedParts(operators);
  const lengths = lengthsOf(operators);
  if (parts.length + lengths.length === 0) return [];
  const longer = lengths.map((length) => [
    ...parts.slice(0, length),
    ...Array.from({ length: Math.max(0, length - parts.length) }, () => "text"),
  ]);
  const lacking = first(parts, "parts_lacking").map((_, left) => parts.filter((_part, at) => at !== left));
  return [[...parts], ...longer, ...lacking];
}

/** Sample values for operators, on both sides of their bounds. */
export function candidateValues(operators: readonly CompiledOperator[], env: Environment): readonly Json[] {
  const named = namedValues(operators, env);
  const unnamed = operators.some((operator) => variableOf(operator) !== null) ? ["other"] : [];
  return distinct(
    [
      ...named,
      ...exactValues(operators, env),
      ...(speaksOfNumbers(operators) ? numbersNear(operators) : []),
      ...textValues(operators),
      ...listValues(operators),
      ...PLAIN_VALUES,
      ...first(named, "values_of_operator").flatMap(unlike),
      ...unnamed,
    ],
    "values_candidates",
  );
}

/** Values that all operators accept, plainest first. */
export function satisfyingValues(operators: readonly CompiledOperator[], env: Environment): readonly Json[] {
  return first(
    candidateValues(operators, env).filter((value) => judgeBy(operators, value, env) === true),
    "values_of_operator",
  );
}

/** Values that the operators refuse: first those they judge false, then those they cannot judge. */
export function breakingValues(operators: readonly CompiledOperator[], env: Environment): readonly Json[] {
  const judged = candidateValues(operators, env).map((value) => ({ value, judgement: judgeBy(operators, value, env) }));
  const those = (judgement: Judgement) =>
    first(
      judged.filter((one) => one.judgement === judgement),
      "values_of_operator",
    ).map(({ value }) => value);
  return [...those(false), ...those(null)];
}
