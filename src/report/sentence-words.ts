import type { CompiledInvariant, CompiledOperator, Place } from "../artifact/compiled-value.js";
import { decimalOf, numberOf, times } from "../base/decimal.js";
import { amount, listed } from "../base/wording.js";
import { asked, clauses } from "./operator-words.js";

type Path = CompiledInvariant["path"];

/** `be at least 1 and at most 9`: what follows "must". */
export function duty(operators: readonly CompiledOperator[]): string {
  return clauses(operators, "duty");
}

/** The values of a path: one, or each of several. */
export function valuesAt({ kind, text }: Path): string {
  return kind === "definite" ? text : `each of ${text}`;
}

/** The values of a path, if a single one is enough for a refusal. */
function anyAt({ kind, text }: Path): string {
  return kind === "definite" ? text : `any of ${text}`;
}

/** `$.amount is at least 500`: a condition that restricts something if it holds. */
export function fact({ path, operators }: CompiledInvariant): string {
  return `${anyAt(path)} ${clauses(operators, "fact")}`;
}

/** `$.role equal to guest`, like `feature`, but a single value is enough. */
export function closingFeature({ path, operators }: CompiledInvariant): string {
  return `${anyAt(path)} ${listed(operators.map(asked), "and")}`;
}

/** `$.verified equal to true`: what follows "with". */
export function feature({ path, operators }: CompiledInvariant): string {
  return `${valuesAt(path)} ${listed(operators.map(asked), "and")}`;
}

/** A name that a user chose. */
export function named(name: string): string {
  return `\`${name}\``;
}

/** A number of things; the word gets an s unless there is one. */
export function counted(count: number, word: string): string {
  return `${amount(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** `15 minutes`: a time in the largest unit that it fills. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return counted(seconds / 3600, "hour");
  return seconds > 0 && seconds % 60 === 0 ? counted(seconds / 60, "minute") : counted(seconds, "second");
}

/** A fraction as a percentage: `0.05` is 5%. */
export function percent(fraction: number): string {
  return `${numberOf(times(decimalOf(fraction), decimalOf(100)))}%`;
}

/** `3rd`. */
export function ordinal(count: number): string {
  const isTeen = count % 100 >= 11 && count % 100 <= 13;
  const ending = isTeen ? undefined : ["th", "st", "nd", "rd"][count % 10];
  return `${count}${ending ?? "th"}`;
}

/** Ends a sentence with one full stop; a user's text may have one already. */
export function stop(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Where something was written. */
export function placeText({ file, line }: Place): string {
  return `${file}:${line}`;
}
