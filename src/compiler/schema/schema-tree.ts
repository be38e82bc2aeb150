import type { SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import type { TypeName } from "../../base/json.js";
import type { Span } from "../../diagnostics/source.js";
import type { RegexProblem } from "../../language/regex/regex-problem.js";

/** A schema whose every keyword has been read and found well-formed. */
export type Schema = boolean | SchemaObject;

/** What the keywords of one schema object ask for, separated by how they are lowered. */
export interface SchemaObject {
  readonly types: readonly TypeName[] | null;
  /** Keywords that become derived invariants where their place is certain. */
  readonly constraints: readonly Constraint[];
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, Schema>;
  /** Schemas of the first items, then of the rest: `prefixItems` and `items`, or the draft 07 spelling. */
  readonly prefix: readonly Schema[];
  readonly rest: Schema | null;
  readonly allOf: readonly Schema[];
  readonly link: Link | null;
  readonly others: readonly OtherKeyword[];
}

/** A local `$ref`; its target is set once every schema has been read. */
export interface Link {
  readonly span: Span;
  target: Schema;
}

/** A derivable keyword: both forms it can take, or why its pattern is rejected. */
export type Constraint = { readonly span: Span } & (
  | {
      readonly kind: "usable";
      readonly keyword: string;
      /** The type of value it judges; null for all. */
      readonly judges: "number" | "string" | null;
      readonly operator: CompiledOperator;
      readonly test: SchemaTest;
    }
  | { readonly kind: "rejected"; readonly pattern: string; readonly problem: RegexProblem }
);

/** A keyword that always stays in the schema check, with the subschemas still to be lowered. */
export interface OtherKeyword {
  readonly build: (lower: (schema: Schema) => SchemaNode) => SchemaTest;
  /** Subschemas that apply to the same value; a loop over these would never end. */
  readonly onSameValue: readonly Schema[];
}
