import { ALIASES, type CompiledOperator, OPERATORS, type Op } from "./index.js";
import type { Operand, OperandSchema } from "./operand.js";
import { type AnyWritten, type Family, VERSIONS, type Version } from "./operator.js";
import type { CompiledPattern } from "./pattern.js";

/** The keywords with which contracts write operators. */

type Records = typeof OPERATORS & typeof ALIASES;
type IsWritten<K extends keyof Records> = Records[K]["written"] extends null ? never : K;

export type Word = { [K in keyof Records]: IsWritten<K> }[keyof Records];

type Form<K extends Word> = NonNullable<Records[K]["written"]>;

/** What each keyword takes. */
export type Operands = { readonly [K in Word]: Operand<Form<K>["schema"]> };

/** The keywords of a family. */
export type WordOf<F extends Family> = { [K in Word]: F extends keyof Form<K>["families"] ? K : never }[Word];

const FORMS = Object.fromEntries(
  Object.entries({ ...OPERATORS, ...ALIASES }).flatMap(([word, { written }]) =>
    written === null ? [] : [[word, written]],
  ),
) as { readonly [K in Word]: Form<K> }; // the same keys, except what no contract writes

/** Every keyword. */
export const WORDS: readonly Word[] = Object.keys(FORMS).filter((word): word is Word => Object.hasOwn(FORMS, word));

function formOf(word: Word): AnyWritten<CompiledOperator> {
  return FORMS[word];
}

/** Whether a version of the language has a word. */
export function isWordIn(version: Version, word: Word): boolean {
  return VERSIONS.indexOf(formOf(word).since) <= VERSIONS.indexOf(version);
}

/** The keywords of a family in all versions, in the order in which they are listed for people. */
export function wordsOf<F extends Family>(family: F): readonly WordOf<F>[] {
  const isOfFamily = (word: Word): word is WordOf<F> => formOf(word).families[family] !== undefined;
  const position = (word: Word) => formOf(word).families[family]?.at ?? 0;
  return WORDS.filter(isOfFamily).sort((a, b) => position(a) - position(b));
}

/** The JSON Schema of a keyword's operand in a family. */
export function operandSchema(word: Word, family: Family): OperandSchema {
  const { schema, families, since } = formOf(word);
  const description = families[family]?.description ?? schema.description;
  if (since === "1.0") return { ...schema, description };
  return { ...schema, description: `${description} (language version ${since})`, since };
}

const RANKS = new Map<string, number>(Object.keys(OPERATORS).map((op, rank) => [op, rank]));

/** In the order of the list, so that the order of the text does not matter. */
export function byRank(one: { readonly op: Op }, other: { readonly op: Op }): number {
  return (RANKS.get(one.op) ?? 0) - (RANKS.get(other.op) ?? 0);
}

type Lowering = { readonly [K in Word]: { readonly lower: Lower<K> } };
type Lower<K extends Word> = (
  operand: Operands[K],
  readPattern: (source: string) => CompiledPattern,
) => CompiledOperator;

/** The compiled form of a keyword with its operand. */
export function lowerWord<K extends Word>(
  word: K,
  operand: Operands[K],
  readPattern: (source: string) => CompiledPattern,
): CompiledOperator {
  const forms: Lowering = FORMS;
  return forms[word].lower(operand, readPattern);
}
