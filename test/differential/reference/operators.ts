import type { Json } from "../../../src/base/json.js";
import type { Operands, Word } from "../../../src/operators/words.js";
import { isList, isSame, jsonType } from "./json.js";

/** Decision 0007, "Judging values". */
export type Judgement = "true" | "false" | "unjudgeable";

export type Env = Readonly<Record<string, string>>;

function claim(holds: boolean): Judgement {
  return holds ? "true" : "false";
}

function oneOf(value: Json, expected: readonly Json[]): Judgement {
  if (!expected.some((candidate) => jsonType(candidate) === jsonType(value))) return "unjudgeable";
  return claim(expected.some((candidate) => isSame(candidate, value)));
}

function hasType(value: Json, type: string): Judgement {
  if (type === "integer") return claim(typeof value === "number" && Number.isInteger(value));
  return claim(jsonType(value) === type);
}

function contains(value: Json, wanted: Json): Judgement {
  if (typeof value === "string") return typeof wanted === "string" ? claim(value.includes(wanted)) : "unjudgeable";
  return isList(value) ? claim(value.some((item) => isSame(item, wanted))) : "unjudgeable";
}

/** Strings by Unicode code points, lists by items. */
function lengthOf(value: Json): number | null {
  if (typeof value === "string") return [...value].length;
  return isList(value) ? value.length : null;
}

function compareLength(value: Json, holds: (length: number) => boolean): Judgement {
  const length = lengthOf(value);
  return length === null ? "unjudgeable" : claim(holds(length));
}

function compareNumber(value: Json, holds: (number: number) => boolean): Judgement {
  // Two doubles are in the same order as the decimals they are spelt as.
  return typeof value === "number" ? claim(holds(value)) : "unjudgeable";
}

function matches(value: Json, pattern: string): Judgement {
  return typeof value === "string" ? claim(new RegExp(pattern, "u").test(value)) : "unjudgeable";
}

function equalsEnv(value: Json, expected: string | undefined): Judgement {
  return expected === undefined || typeof value !== "string" ? "unjudgeable" : claim(value === expected);
}

/** What each word of the language says of a value that is there. */
const OPERATORS: { readonly [K in Word]: (value: Json, operand: Operands[K], env: Env) => Judgement } = {
  equals: (value, expected) => oneOf(value, [expected]),
  exact_match: (value, expected) => oneOf(value, [expected]),
  one_of: oneOf,
  exists: (value, isThere) => claim((value !== null) === isThere),
  type: hasType,
  contains,
  regex: matches,
  gte: (value, bound) => compareNumber(value, (number) => number >= bound),
  gt: (value, bound) => compareNumber(value, (number) => number > bound),
  lt: (value, bound) => compareNumber(value, (number) => number < bound),
  lte: (value, bound) => compareNumber(value, (number) => number <= bound),
  length_gte: (value, bound) => compareLength(value, (length) => length >= bound),
  length_lte: (value, bound) => compareLength(value, (length) => length <= bound),
  not_one_of: (value, unwanted) => claim(unwanted.every((one) => !isSame(value, one))),
  not_equals: (value, unwanted) => claim(!isSame(value, unwanted)),
  equals_env: (value, name, env) => equalsEnv(value, new Map(Object.entries(env)).get(name)),
};

const WORDS = Object.keys(OPERATORS).filter((word): word is Word => Object.hasOwn(OPERATORS, word));

/** An entry of any family, as far as its operators go. */
export type Operators = { readonly [K in Word]?: Operands[K] };

function judgeWord<K extends Word>(word: K, entry: Operators, value: Json, env: Env): readonly Judgement[] {
  const operand: Operands[K] | undefined = entry[word];
  // `equals: null` is an operand like any other, only undefined is absent.
  return operand === undefined ? [] : [OPERATORS[word](value, operand, env)];
}

/** What each operator of an entry says of a value. */
export function judgeEach(entry: Operators, value: Json, env: Env): readonly Judgement[] {
  return WORDS.flatMap((word) => judgeWord(word, entry, value, env));
}
