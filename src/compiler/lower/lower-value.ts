import type { CompiledInvariant, CompiledOperator, CompiledPattern, Place } from "../../artifact/compiled-value.js";
import { invariant } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { parseJsonPath } from "../../language/json-path.js";
import { spanOf } from "../../language/located.js";
import { parseRegex } from "../../language/regex/parse-regex.js";
import type { Principal } from "../../language/schema/shared.js";
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
interface Operators {
  readonly equals?: Json;
  readonly exact_match?: string;
  readonly exists?: boolean;
  readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array";
  readonly contains?: Json;
  readonly one_of?: readonly Json[];
  readonly regex?: string;
  readonly gte?: number;
  readonly lte?: number;
  readonly length_gte?: number;
  readonly length_lte?: number;
  readonly equals_env?: string;
}

/** The operators of one entry, in an order of their own so that the text's order does not matter. */
export function lowerOperators(entry: Operators): readonly CompiledOperator[] {
  const operators: CompiledOperator[] = [];
  if (entry.exists !== undefined) operators.push({ op: "exists", value: entry.exists });
  if (entry.type !== undefined) operators.push({ op: "type", value: entry.type });
  if (entry.equals !== undefined) operators.push({ op: "equals", value: entry.equals });
  if (entry.exact_match !== undefined) operators.push({ op: "equals", value: entry.exact_match });
  if (entry.one_of !== undefined) operators.push({ op: "one_of", values: entry.one_of });
  if (entry.contains !== undefined) operators.push({ op: "contains", value: entry.contains });
  if (entry.regex !== undefined) operators.push({ op: "regex", pattern: lowerPattern(entry.regex) });
  if (entry.gte !== undefined) operators.push({ op: "gte", value: entry.gte });
  if (entry.lte !== undefined) operators.push({ op: "lte", value: entry.lte });
  if (entry.length_gte !== undefined) operators.push({ op: "length_gte", value: entry.length_gte });
  if (entry.length_lte !== undefined) operators.push({ op: "length_lte", value: entry.length_lte });
  if (entry.equals_env !== undefined) operators.push({ op: "equals_env", name: entry.equals_env });
  return operators;
}

/** One entry with a path and operators. */
export function lowerInvariant(entry: Operators & { readonly path: string }): CompiledInvariant {
  return { at: placeIn(entry), path: lowerPath(entry.path), operators: lowerOperators(entry) };
}

/** The conditions on a principal; none means everybody. */
export function lowerPrincipal(principal: Principal | undefined): readonly CompiledInvariant[] {
  if (principal === undefined) return [];
  return (Array.isArray(principal) ? principal : [principal]).map(lowerInvariant);
}
