import * as d from "../base/decoder.js";
import { type Json, typeOf } from "../base/json.js";
import { contains } from "./contains.js";
import { equals } from "./equals.js";
import { equalsEnv } from "./equals-env.js";
import { exactMatch } from "./exact-match.js";
import { exists } from "./exists.js";
import { gt } from "./gt.js";
import { gte } from "./gte.js";
import { lengthGte } from "./length-gte.js";
import { lengthLte } from "./length-lte.js";
import { lt } from "./lt.js";
import { lte } from "./lte.js";
import { multipleOf } from "./multiple-of.js";
import { notEquals } from "./not-equals.js";
import { notOneOf } from "./not-one-of.js";
import { oneOf } from "./one-of.js";
import type { Engine, Environment, Form, OperatorParts, Samples } from "./operator.js";
import { regex } from "./regex.js";
import { type } from "./type.js";
import type { Domain } from "./value-set.js";

/** Every operator by the name of its compiled form, in the order in which the artifact has those of one entry. */
export const OPERATORS = {
  exists,
  type,
  equals,
  one_of: oneOf,
  contains,
  regex,
  gte,
  lte,
  gt,
  lt,
  multiple_of: multipleOf,
  length_gte: lengthGte,
  length_lte: lengthLte,
  equals_env: equalsEnv,
  not_equals: notEquals,
  not_one_of: notOneOf,
};

/** Further keywords of contracts for some of them. */
export const ALIASES = { exact_match: exactMatch };

type Records = typeof OPERATORS;
type FieldsBy = { readonly [K in keyof Records]: Records[K]["fields"] };

const FIELDS = Object.fromEntries(Object.entries(OPERATORS).map(([op, { fields }]) => [op, fields])) as FieldsBy; // the same keys

/** One test of one value. */
export const operator = d.tagged("op", FIELDS);
export type CompiledOperator = d.Decoded<typeof operator>;

/** Whether a part of an artifact is an operator; literals of contracts may have any shape. */
export function isOperator(part: object): part is CompiledOperator {
  if (!("op" in part)) return false;
  try {
    operator(part, "");
    return true;
  } catch (cause) {
    if (cause instanceof d.DecodeFailure) return false;
    throw cause;
  }
}

export type Op = CompiledOperator["op"];
type CompiledBy = { readonly [K in Op]: Extract<CompiledOperator, { readonly op: K }> };

const PARTS: { readonly [K in Op]: OperatorParts<CompiledBy[K]> } = OPERATORS;

/** The facts about an operator. */
export function partsOf<K extends Op>(operator: CompiledBy[K]): OperatorParts<CompiledBy[K]> {
  return PARTS[operator.op];
}

const domains = new WeakMap<CompiledOperator, Domain>();

/** What is known about the values that an operator accepts and rejects; computed once, because a list of values may be long. */
export function domainOf(operator: CompiledOperator): Domain {
  const known = domains.get(operator) ?? partsOf(operator).domain(operator);
  domains.set(operator, known);
  return known;
}

/** Samples at the borders of an operator. */
export function samplesOf(operator: CompiledOperator): Samples {
  return partsOf(operator).samples(operator);
}

const decoded = (form: Form): CompiledOperator => operator(form, "");

/** What every value satisfies for which an operator is false; null where no operator says that. */
export function oppositeOf(of: CompiledOperator): CompiledOperator | null {
  const form = partsOf(of).opposite(of);
  return form === null ? null : decoded(form);
}

/** Operators that more values satisfy, for mutants of a rule. */
export function weakerThan(of: CompiledOperator): readonly CompiledOperator[] {
  return partsOf(of).weaker(of).map(decoded);
}

/** Operators that fewer values satisfy. */
export function narrowerThan(of: CompiledOperator): readonly CompiledOperator[] {
  return partsOf(of).narrower(of).map(decoded);
}

/** How many comparisons an operator takes to judge one value. */
export function comparisonsOf(operator: CompiledOperator): number {
  return Math.max(1, samplesOf(operator).values.length);
}

/** Whether a missing value satisfies an operator. */
export function acceptsAbsence(operator: CompiledOperator): boolean {
  return partsOf(operator).absent(operator) === true;
}

const NO_ENVIRONMENT: Environment = new Map();

/** Whether a value may satisfy an operator; false is certain. The environment is not known: a variable may have any text. */
export function mayHold(operator: CompiledOperator, value: Json, engine: Engine): boolean {
  const { variable, judge, domain } = partsOf(operator);
  if (variable(operator) !== null) return domain(operator).accepts.types.includes(typeOf(value));
  return judge(operator, engine)(value, NO_ENVIRONMENT) === true;
}
