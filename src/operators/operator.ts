import type { Decoded, Decoder } from "../base/decoder.js";
import type { Json } from "../base/json.js";
import type { Judgement } from "./judgement.js";
import type { Operand, OperandSchema } from "./operand.js";
import type { CompiledPattern } from "./pattern.js";
import type { QuickTest } from "./quick-test.js";
import type { Domain } from "./value-set.js";

/** The environment variables that rules may read, as they were when the guard was created. */
export type Environment = ReadonlyMap<string, string>;

/** Judges one value that is present. */
export type Judge = (value: Json, env: Environment) => Judgement;

/** What runs patterns; the guard has its own engine, other callers use a simpler one. */
export interface Engine {
  matcherOf(pattern: CompiledPattern): (text: string) => boolean;
}

/** The versions of the contract language, oldest first. */
export const VERSIONS = ["1.0", "1.1"] as const;
export type Version = (typeof VERSIONS)[number];

/** The four sets of operators that entries of the language take. */
export const FAMILIES = ["full", "value", "condition", "override"] as const;
export type Family = (typeof FAMILIES)[number];

/** The position of an operator in the list of a family, and its description for editors where that is not the usual one. */
interface Position {
  readonly at: number;
  readonly description?: string;
}

type Positions = { readonly [K in Family]?: Position };

/** How contracts write an operator. */
export interface Written<S extends OperandSchema, P extends Positions, C> {
  /** The first version of the language that has it. */
  readonly since: Version;
  readonly schema: S;
  readonly families: P;
  readonly lower: (operand: Operand<S>, readPattern: (source: string) => CompiledPattern) => C;
}

/** Declares how contracts write an operator. */
export function written<const S extends OperandSchema, P extends Positions, const C>(
  form: Written<S, P, C>,
): Written<S, P, C> {
  return form;
}

/** The verb of a clause: "must …", "where it …", "a value …". */
export interface Verb {
  readonly duty: string;
  readonly fact: string;
  readonly feature: string;
}

export const BE: Verb = { duty: "be", fact: "is", feature: "" };

interface Words<C> {
  /** What a refusal requires: `at least 5`. */
  readonly required: (own: C) => string;
  readonly verb: Verb;
  /** What follows the verb, for people who read no YAML and no JSON. */
  readonly sentence: (own: C) => string;
}

/** Samples at the borders of an operator; values for several operators are made from all of them. */
export interface Samples {
  /** Values that it names. */
  readonly values: readonly Json[];
  /** The bounds it accepts from, or up to. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Numbers whose multiples it accepts. */
  readonly steps: readonly number[];
  readonly lengths: readonly number[];
  /** Parts that a text or a list must have. */
  readonly parts: readonly Json[];
  readonly patterns: readonly CompiledPattern[];
}

export const NO_SAMPLES: Samples = {
  values: [],
  lower: [],
  upper: [],
  steps: [],
  lengths: [],
  parts: [],
  patterns: [],
};

/** The compiled form of any operator, as a record writes it: only the list of operators knows all of them. */
export interface Form {
  readonly op: string;
  readonly [field: string]: Json;
}

/** All facts about an operator whose compiled form is `C`. */
export interface OperatorParts<C> {
  /** Created once for a compiled operator, so that judging looks nothing up. */
  readonly judge: (own: C, engine: Engine) => Judge;
  /** Its result for a missing value. */
  readonly absent: (own: C) => Judgement;
  /** A faster test for the most common values; where it is false, judging decides. Null where there is none. */
  readonly quick: (own: C, engine: Engine) => QuickTest | null;
  /** What it compares with, as people write it. */
  readonly operand: (own: C) => Json;
  /** The environment variable that judging needs; null for none. */
  readonly variable: (own: C) => string | null;
  /** What a refusal shows of the value: for a length only the number, which is clearer and does not disclose the value. */
  readonly shows: "value" | "length";
  readonly words: Words<C>;
  readonly domain: (own: C) => Domain;
  readonly samples: (own: C) => Samples;
  /** What every value satisfies for which this one is false; null where no operator says that. */
  readonly opposite: (own: C) => Form | null;
  /** The values that it names; null if others may differ to it in another way than numbers do between those that it names. */
  readonly named: (own: C) => readonly Json[] | null;
  /**
   * Operators that more values satisfy, each by the smallest change that a test can be expected to notice. One more value in a list is no
   * such change: only a test with just that value would notice it. Any value of the type is.
   */
  readonly weaker: (own: C) => readonly Form[];
  /** Operators that fewer values satisfy, by the same measure. */
  readonly narrower: (own: C) => readonly Form[];
}

type Fields = Readonly<Record<string, Decoder<unknown>>>;

/** The compiled form of an operator: its name and its fields. */
export type Compiled<Name extends string, F extends Fields> = { readonly op: Name } & {
  readonly [K in keyof F]: Decoded<F[K]>;
};

/** Any keyword form of an operator whose compiled form is `C`. */
export interface AnyWritten<C> extends Omit<Written<OperandSchema, Positions, C>, "lower"> {
  readonly lower: (operand: never, readPattern: (source: string) => CompiledPattern) => C;
}

/** The record of one operator. */
export interface Operator<Name extends string, F extends Fields, W> extends OperatorParts<Compiled<Name, F>> {
  readonly op: Name;
  /** The fields of its compiled form, each with its decoder. */
  readonly fields: F;
  /** Null where no contract writes it: only the schemas of tools produce it. */
  readonly written: W;
}

/** Declares an operator; a part that is missing does not compile. */
export function defineOperator<
  const Name extends string,
  F extends Fields,
  W extends AnyWritten<Compiled<Name, F>> | null,
>(record: Operator<Name, F, W>): Operator<Name, F, W> {
  return record;
}

/** A further keyword for an operator, which differs only in how contracts write it. */
export interface Alias<W> {
  readonly aliasOf: string;
  readonly written: W;
}
