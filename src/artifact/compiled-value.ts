import * as d from "../base/decoder.js";
import { parseProviderPattern } from "../base/provider-pattern.js";
import { operator } from "../operators/index.js";
import { typeName } from "../operators/type.js";

export type { CompiledOperator } from "../operators/index.js";
export type { CompiledPattern } from "../operators/pattern.js";

/** Where in the pack a rule was written. */
export const place = d.object({ file: d.string, line: d.count });
export type Place = d.Decoded<typeof place>;

/** Whether two places are one: the same line of the same file, or both none. */
export function isSamePlace(one: Place | null, other: Place | null): boolean {
  return one?.file === other?.file && one?.line === other?.line;
}

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

/** A pattern of requests to a model, kept as it was written; one that cannot be parsed would never match a request. */
export const providerPattern: d.Decoder<string> = (value, where) => {
  const text = d.string(value, where);
  if (parseProviderPattern(text).ok) return text;
  throw new d.DecodeFailure(where, "a pattern of requests");
};

/** Without any of them an entry would ask for nothing. */
export const operators = d.filledList(operator);

/** All operators of one entry of a contract; every value the path matches must satisfy each. */
export const invariant = d.object({ at: place, path, operators });
export type CompiledInvariant = d.Decoded<typeof invariant>;

/** The words of the policy that a rule was written for; absent where it has none, and in packs of language version 1.0. */
export const because = { because: d.optional(d.string) };

/** An invariant that is a rule of its own. */
export const ruleInvariant = d.object({ at: place, path, operators, ...because });
export type CompiledRule = d.Decoded<typeof ruleInvariant>;

/** An invariant made from a keyword of the tool's JSON Schema. */
const derivedInvariant = d.object({
  at: place,
  path,
  operator,
  /** An optional property is judged only when present. */
  optional: d.boolean,
  /** Types that the schema also allows and that the keyword does not test. */
  passes: d.list(typeName),
});
export type DerivedInvariant = d.Decoded<typeof derivedInvariant>;
