import type { SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import type { SchemaProblem } from "./schema-problem.js";
import type { Constraint, Schema, SchemaObject } from "./schema-tree.js";

/** What the lowering of one schema shares. */
export interface Lowering {
  readonly problems: SchemaProblem[];
  /** Schemas that are lowered once and referred to by index, in order of index. */
  readonly defs: Map<SchemaObject, number>;
  /** Rejected patterns that were reported as part of the check. */
  readonly reported: Set<Constraint>;
}

/** A node that asks for all that the given ones ask for. */
export function allOf(nodes: readonly SchemaNode[]): SchemaNode {
  if (nodes.includes(false)) return false;
  const tests = nodes.flatMap((node) => (typeof node === "boolean" ? [] : node));
  return tests.length === 0 ? true : tests;
}

/** A node that refers to the schema instead of repeating it: recursion needs it, and shared schemas stay small. */
export function refTo(lowering: Lowering, schema: Schema): SchemaNode {
  if (typeof schema === "boolean") return schema;
  const def = lowering.defs.get(schema) ?? lowering.defs.size;
  lowering.defs.set(schema, def);
  return [{ kind: "ref", def }];
}

function lowerConstraints(lowering: Lowering, constraints: readonly Constraint[]): SchemaTest[] {
  return constraints.flatMap((constraint) => {
    if (constraint.kind === "usable") return [constraint.test];
    if (lowering.reported.has(constraint)) return [];
    lowering.reported.add(constraint);
    const { span, pattern, problem } = constraint;
    lowering.problems.push({ kind: "unsupported_schema_pattern", span, pattern, problem, path: null });
    return [];
  });
}

/** The tests of a schema object for its own value, without derivable keywords and what leads to further places. */
export function ownTests(schema: SchemaObject, lower: (schema: Schema) => SchemaNode): readonly SchemaTest[] {
  const { types, required, others } = schema;
  return [
    ...(types === null ? [] : [{ kind: "type", types } as const]),
    ...(required.length === 0 ? [] : [{ kind: "required", names: required } as const]),
    ...others.map((other) => other.build(lower)),
  ];
}

function structureTests(schema: SchemaObject, lower: (schema: Schema) => SchemaNode): readonly SchemaTest[] {
  const { properties, prefix, rest } = schema;
  const entries = [...properties].map(([name, property]) => ({ name, node: lower(property) }));
  return [
    ...(entries.length === 0 ? [] : [{ kind: "properties", entries } as const]),
    ...(prefix.length === 0 ? [] : [{ kind: "prefix_items", nodes: prefix.map(lower) } as const]),
    ...(rest === null ? [] : [{ kind: "items", from: prefix.length, node: lower(rest) } as const]),
  ];
}

/** Lowers a schema at a place that does not apply to every value: all of it stays in the check. */
export function lowerNode(lowering: Lowering, schema: Schema): SchemaNode {
  if (typeof schema === "boolean") return schema;
  const lower = (child: Schema): SchemaNode => lowerNode(lowering, child);
  const tests = [
    ...ownTests(schema, lower),
    ...lowerConstraints(lowering, schema.constraints),
    ...structureTests(schema, lower),
  ];
  const linked = schema.link === null ? true : refTo(lowering, schema.link.target);
  return allOf([tests, linked, ...schema.allOf.map(lower)]);
}

/** The nodes that `refTo` has promised so far, and those that they promise in turn. */
export function lowerDefs(lowering: Lowering): readonly SchemaNode[] {
  const nodes: SchemaNode[] = [];
  // Iterating a map also visits entries added meanwhile.
  for (const schema of lowering.defs.keys()) nodes.push(lowerNode(lowering, schema));
  return nodes;
}
