import type {
  CompiledInvariant,
  CompiledOperator,
  CompiledPattern,
  CompiledRule,
  Place,
} from "../../artifact/compiled-value.js";
import { invariant } from "../../base/invariant.js";
import type { JsonPath } from "../../base/json-path.js";
import { parseJsonPath } from "../../language/json-path.js";
import { spanOf } from "../../language/located.js";
import { parseRegex } from "../../language/regex/parse-regex.js";
import type { Principal } from "../../language/schema/shared.js";
import { byRank, lowerWord, type Operands, WORDS, type Word } from "../../operators/words.js";
import { placeOf } from "../place.js";

/** The place of a mapping of the pack, for the artifact. */
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

/** An operator with its keyword in the contract. */
export interface WrittenOperator {
  readonly word: Word;
  readonly operator: CompiledOperator;
}

function lowered<K extends Word>(entry: Operators, word: K): readonly WrittenOperator[] {
  const operand: Operands[K] | undefined = entry[word];
  return operand === undefined ? [] : [{ word, operator: lowerWord(word, operand, lowerPattern) }];
}

/** The operators of an entry in a fixed order, with their keywords. */
export function writtenOperators(entry: Operators): readonly WrittenOperator[] {
  return WORDS.flatMap((word) => lowered(entry, word)).sort((a, b) => byRank(a.operator, b.operator));
}

function lowerAll(entry: Operators): readonly CompiledOperator[] {
  return writtenOperators(entry).map(({ operator }) => operator);
}

/** Never, for an entry with a key that is not among the known ones: passing it does not compile. */
export type OnlyKeys<E, Known> = E extends unknown ? (Exclude<keyof E, Known> extends never ? E : never) : never;

/** The operators of an entry, which has no other keys: the caller took out the others and uses them. */
export function lowerOperators<E extends Operators>(operators: E & OnlyKeys<E, Word>): readonly CompiledOperator[] {
  return lowerAll(operators);
}

/** One entry with a path and operators, and no other keys. */
export function lowerInvariant<E extends Operators & { readonly path: string }>(
  entry: E & OnlyKeys<E, Word | "path">,
): CompiledInvariant {
  return { at: placeIn(entry), path: lowerPath(entry.path), operators: lowerAll(entry) };
}

/** The words that a rule was written for, as a field of the artifact that is absent without them. */
export function becauseOf(reason: string | undefined): { readonly because?: string } {
  return reason === undefined ? {} : { because: reason };
}

/** The same for an entry that is a rule of its own and may have a reason. */
export function lowerRule<E extends Operators & { readonly path: string; readonly reason?: string }>(
  entry: E & OnlyKeys<E, Word | "path" | "reason">,
): CompiledRule {
  return {
    at: placeIn(entry),
    path: lowerPath(entry.path),
    operators: lowerAll(entry),
    ...becauseOf(entry.reason),
  };
}

/** Takes the rest of an entry after every key was taken out. A forgotten key does not compile. */
export function nothingLeft(_rest: Readonly<Record<string, never>>): void {}

/** The conditions on a principal; none means every principal. */
export function lowerPrincipal(principal: Principal | undefined): readonly CompiledInvariant[] {
  if (principal === undefined) return [];
  return (Array.isArray(principal) ? principal : [principal]).map(lowerInvariant);
}
