import * as d from "../base/decoder.js";
import type { Json, TypeName } from "../base/json.js";
import { type CompiledPattern, pattern } from "../operators/pattern.js";
import { typeName } from "../operators/type.js";

/** What a value must be: anything (`true`), nothing (`false`), or all that the tests ask for. */
export type SchemaNode = boolean | readonly SchemaTest[];

/** A node under a name that a user chose. */
export interface NamedNode {
  readonly name: string;
  readonly node: SchemaNode;
}

/** Tests of values of every type. */
export type AnyTest =
  | { readonly kind: "type"; readonly types: readonly TypeName[] }
  | { readonly kind: "enum"; readonly values: readonly Json[] }
  | { readonly kind: "const"; readonly value: Json };

/** Tests of numbers; other values pass. */
export interface NumberTest {
  readonly kind: "minimum" | "maximum" | "exclusive_minimum" | "exclusive_maximum" | "multiple_of";
  readonly value: number;
}

/** Tests of strings; other values pass. */
export type StringTest =
  | { readonly kind: "pattern"; readonly pattern: CompiledPattern }
  | { readonly kind: "min_length" | "max_length"; readonly count: number };

/** Tests of objects; other values pass. */
export type ObjectTest =
  | { readonly kind: "properties"; readonly entries: readonly NamedNode[] }
  | { readonly kind: "required"; readonly names: readonly string[] }
  | {
      readonly kind: "additional_properties";
      /** Properties that are not additional: by name, or by a pattern. */
      readonly names: readonly string[];
      readonly patterns: readonly CompiledPattern[];
      readonly node: SchemaNode;
    }
  | {
      readonly kind: "pattern_properties";
      readonly entries: readonly { readonly pattern: CompiledPattern; readonly node: SchemaNode }[];
    }
  | { readonly kind: "property_names"; readonly node: SchemaNode }
  | { readonly kind: "min_properties" | "max_properties"; readonly count: number }
  | {
      readonly kind: "dependent_required";
      readonly entries: readonly { readonly name: string; readonly names: readonly string[] }[];
    }
  | { readonly kind: "dependent_schemas"; readonly entries: readonly NamedNode[] };

/** Tests of lists; other values pass. */
export type ListTest =
  /** All items from index `from` on. */
  | { readonly kind: "items"; readonly from: number; readonly node: SchemaNode }
  | { readonly kind: "prefix_items"; readonly nodes: readonly SchemaNode[] }
  | { readonly kind: "contains"; readonly node: SchemaNode; readonly min: number; readonly max: number | null }
  | { readonly kind: "min_items" | "max_items"; readonly count: number }
  | { readonly kind: "unique_items" };

/** Tests that apply other nodes to the same value. */
export type CombinedTest =
  | { readonly kind: "all_of" | "any_of" | "one_of"; readonly nodes: readonly SchemaNode[] }
  | { readonly kind: "not"; readonly node: SchemaNode }
  | {
      readonly kind: "if_then_else";
      readonly condition: SchemaNode;
      readonly consequent: SchemaNode;
      readonly alternative: SchemaNode;
    }
  /** The node of that index in `defs`. */
  | { readonly kind: "ref"; readonly def: number };

/** One keyword of a JSON Schema, with everything it needs. */
export type SchemaTest = AnyTest | NumberTest | StringTest | ObjectTest | ListTest | CombinedTest;

const node: d.Decoder<SchemaNode> = d.lazy(() => d.either(d.boolean, d.list(test)));
const named = d.object({ name: d.string, node });
const bound = { value: d.number };
const counted = { count: d.count };
const nodes = { nodes: d.list(node) };

const test: d.Decoder<SchemaTest> = d.tagged("kind", {
  type: { types: d.list(typeName) },
  enum: { values: d.list(d.json) },
  const: { value: d.json },
  minimum: bound,
  maximum: bound,
  exclusive_minimum: bound,
  exclusive_maximum: bound,
  multiple_of: bound,
  pattern: { pattern },
  min_length: counted,
  max_length: counted,
  properties: { entries: d.list(named) },
  required: { names: d.list(d.string) },
  additional_properties: { names: d.list(d.string), patterns: d.list(pattern), node },
  pattern_properties: { entries: d.list(d.object({ pattern, node })) },
  property_names: { node },
  min_properties: counted,
  max_properties: counted,
  dependent_required: { entries: d.list(d.object({ name: d.string, names: d.list(d.string) })) },
  dependent_schemas: { entries: d.list(named) },
  items: { from: d.count, node },
  prefix_items: nodes,
  contains: { node, min: d.count, max: d.nullable(d.count) },
  min_items: counted,
  max_items: counted,
  unique_items: {},
  all_of: nodes,
  any_of: nodes,
  one_of: nodes,
  not: { node },
  if_then_else: { condition: node, consequent: node, alternative: node },
  ref: { def: d.count },
});

/** The JSON Schema of a tool without the keywords that became derived invariants. */
export const compiledSchema = d.object({ root: node, defs: d.list(node) });
export type CompiledSchema = d.Decoded<typeof compiledSchema>;
