import * as d from "../base/decoder.js";
import { parseProviderPattern } from "../base/provider-pattern.js";

/** Where in the pack a rule was written. */
export const place = d.object({ file: d.string, line: d.count });
export type Place = d.Decoded<typeof place>;

const selector = d.tagged("kind", {
  name: { name: d.string },
  index: { index: d.integer },
  wildcard: {},
  slice: { start: d.nullable(d.integer), end: d.nullable(d.integer), step: d.integer },
});

/** A path into arguments, an output or a principal. */
export const path = d.tagged("kind", {
  definite: { text: d.string, steps: d.list(d.either(d.string, d.integer)) },
  multi: { text: d.string, segments: d.list(d.object({ descend: d.boolean, selectors: d.list(selector) })) },
});

/**
 * A pattern. `native` ones are proven to take linear time on the engine of JavaScript, and short texts may go there; every
 * other is `counted`: run by an engine that counts its steps.
 */
export const pattern = d.object({ engine: d.oneOf("native", "counted"), source: d.string });
export type CompiledPattern = d.Decoded<typeof pattern>;

/** A pattern of requests to a model, kept as it was written; one that cannot be read would never stop a request. */
export const providerPattern: d.Decoder<string> = (value, where) => {
  const text = d.string(value, where);
  if (parseProviderPattern(text).ok) return text;
  throw new d.DecodeFailure(where, "a pattern of requests");
};

export const typeName = d.oneOf("string", "number", "integer", "boolean", "object", "array", "null");

/** One test of one value. */
export const operator = d.tagged("op", {
  equals: { value: d.json },
  exists: { value: d.boolean },
  type: { value: typeName },
  contains: { value: d.json },
  one_of: { values: d.list(d.json) },
  regex: { pattern },
  gte: { value: d.number },
  lte: { value: d.number },
  gt: { value: d.number },
  lt: { value: d.number },
  multiple_of: { value: d.number },
  length_gte: { value: d.count },
  length_lte: { value: d.count },
  equals_env: { name: d.string },
});
export type CompiledOperator = d.Decoded<typeof operator>;

/** Without any of them an entry would ask for nothing. */
export const operators = d.filledList(operator);

/** All operators of one entry of a contract; every value the path matches must satisfy each. */
export const invariant = d.object({ at: place, path, operators });
export type CompiledInvariant = d.Decoded<typeof invariant>;

/** An invariant that a keyword of the tool's JSON Schema stands for. */
export const derivedInvariant = d.object({
  at: place,
  path,
  operator,
  /** An optional property is judged only when present. */
  optional: d.boolean,
  /** Types that the schema allows beside the one the keyword speaks of, and that it lets pass. */
  passes: d.list(typeName),
});
export type DerivedInvariant = d.Decoded<typeof derivedInvariant>;
