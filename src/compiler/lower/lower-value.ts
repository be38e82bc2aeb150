import type { CompiledInvariant, CompiledOperator, CompiledPattern, Place } from "../../artifact/compiled-value.js";
import { invariant } from "../../base/invariant.js";
import type { JsonPath } from "../../base/json-path.js";
import { parseJsonPath } from "../../language/json-path.js";
import { spanOf } from "../../language/located.js";
import { parseRegex } from "../../language/regex/parse-regex.js";
import type { Invariant, Principal, ValueInvariant } from "../../language/schema/shared.js";
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

/** What each operator of the language takes; `ref` with its `tolerance` is a check of its own. */
type Operands = Required<Omit<Invariant, "path"> & Omit<ValueInvariant, "path" | "ref" | "tolerance">>;

/** The operators an entry may have; each family is a subset. */
export type Operators = { readonly [K in keyof Operands]?: Operands[K] };

/**
 * How each operator is lowered, in an order of their own so that the text's order does not matter. An operator that the
 * language has and this table lacks does not compile.
 */
const LOWERING: { readonly [K in keyof Operands]: (operand: Operands[K]) => CompiledOperator } = {
  exists: (value) => ({ op: "exists", value }),
  type: (value) => ({ op: "type", value }),
  equals: (value) => ({ op: "equals", value }),
  exact_match: (value) => ({ op: "equals", value }),
  one_of: (values) => ({ op: "one_of", values }),
  contains: (value) => ({ op: "contains", value }),
  regex: (source) => ({ op: "regex", pattern: lowerPattern(source) }),
  gte: (value) => ({ op: "gte", value }),
  lte: (value) => ({ op: "lte", value }),
  length_gte: (value) => ({ op: "length_gte", value }),
  length_lte: (value) => ({ op: "length_lte", value }),
  equals_env: (name) => ({ op: "equals_env", name }),
};

const NAMES = Object.keys(LOWERING).filter((name): name is keyof Operands => Object.hasOwn(LOWERING, name));

function lowered<K extends keyof Operands>(entry: Operators, name: K): readonly CompiledOperator[] {
  const operand: Operands[K] | undefined = entry[name];
  return operand === undefined ? [] : [LOWERING[name](operand)];
}

function lowerAll(entry: Operators): readonly CompiledOperator[] {
  return NAMES.flatMap((name) => lowered(entry, name));
}

/** Nothing, for an entry with a key that is not among the known ones: passing it does not compile. */
export type OnlyKeys<E, Known> = E extends unknown ? (Exclude<keyof E, Known> extends never ? E : never) : never;

/** The operators of an entry, which has no other keys: whoever calls this took out what else it has, and uses that. */
export function lowerOperators<E extends Operators>(
  operators: E & OnlyKeys<E, keyof Operands>,
): readonly CompiledOperator[] {
  return lowerAll(operators);
}

/** One entry with a path and operators, and no other keys. */
export function lowerInvariant<E extends Operators & { readonly path: string }>(
  entry: E & OnlyKeys<E, keyof Operands | "path">,
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
