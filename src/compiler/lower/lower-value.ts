import type { CompiledInvariant, CompiledOperator, CompiledPattern, Place } from "../../artifact/compiled-value.js";
import { invariant } from "../../base/invariant.js";
import type { JsonPath } from "../../base/json-path.js";
import { parseJsonPath } from "../../language/json-path.js";
import { spanOf } from "../../language/located.js";
import { parseRegex } from "../../language/regex/parse-regex.js";
import type { Principal } from "../../language/schema/shared.js";
import { byRank, lowerWord, type Operands, WORDS, type Word } from "../../operators/words.js";
import { placeOf } from "../place.js";

/** Where a mapping of the pack stands, for the artifact. */
export function placeIn(container: object): Place {
  return placeOf(spanOf(container));
}

/** A path that the shape check accepted. */
export function lowerPath(text: string): JsonPath {
  const result = parseJsonPath(text);
  invariant(result.ok, "paths were checked for shape");
  return result.path;
}

/** A pattern that the shape check accepted. */
export function lowerPattern(source: string): CompiledPattern {
  const result = parseRegex(source);
  invariant(result.ok, "patterns were checked for shape");
  return result.pattern;
}

/** The operators an entry may have; each family is a subset. */
export type Operators = { readonly [K in Word]?: Operands[K] };

/** An operator with the word that the contract has for it. */
export interface WrittenOperator {
  readonly word: Word;
  readonly operator: CompiledOperator;
}

function lowered<K extends Word>(entry: Operators, word: K): readonly WrittenOperator[] {
  const operand: Operands[K] | undefined = entry[word];
  return operand === undefined ? [] : [{ word, operator: lowerWord(word, operand, lowerPattern) }];
}

/** The operators of an entry in an order of their own, with their words. */
export function writtenOperators(entry: Operators): readonly WrittenOperator[] {
  return WORDS.flatMap((word) => lowered(entry, word)).sort((a, b) => byRank(a.operator, b.operator));
}

function lowerAll(entry: Operators): readonly CompiledOperator[] {
  return writtenOperators(entry).map(({ operator }) => operator);
}

/** Nothing, for an entry with a key that is not among the known ones: passing it does not compile. */
export type OnlyKeys<E, Known> = E extends unknown ? (Exclude<keyof E, Known> extends never ? E : never) : never;

/** The operators of an entry, which has no other keys: whoever calls this took out what else it has, and uses that. */
export function lowerOperators<E extends Operators>(operators: E & OnlyKeys<E, Word>): readonly CompiledOperator[] {
  return lowerAll(operators);
}

/** One entry with a path and operators, and no other keys. */
export function lowerInvariant<E extends Operators & { readonly path: string }>(
  entry: E & OnlyKeys<E, Word | "path">,
): CompiledInvariant {
  return { at: placeIn(entry), path: lowerPath(entry.path), operators: lowerAll(entry) };
}

/** Takes what is left of an entry once every key was taken out. A key that was forgotten does not compile. */
export function nothingLeft(_rest: Readonly<Record<string, never>>): void {}

/** The conditions on a principal; none means everybody. */
export function lowerPrincipal(principal: Principal | undefined): readonly CompiledInvariant[] {
  if (principal === undefined) return [];
  return (Array.isArray(principal) ? principal : [principal]).map(lowerInvariant);
}
