import { TYPE_NAMES, type TypeName } from "../../base/json.js";
import { comparisonsOf } from "../../operators/index.js";
import type { Schema, SchemaObject } from "./schema-tree.js";

/** The schemas on the path from the root, innermost first. */
export interface Trail {
  readonly schema: SchemaObject;
  readonly up: Trail | null;
}

/** A schema that applies at a place. */
export interface Applied<S extends Schema = Schema> {
  readonly schema: S;
  readonly trail: Trail | null;
  /** True once a ref was followed, so that other places may have it too. */
  readonly shared: boolean;
}

/** All that applies at one place, through `allOf` and refs. */
export interface Merged {
  /** Schemas whose keywords certainly apply at this very place. */
  readonly expanded: readonly Applied<SchemaObject>[];
  /** Booleans, and schemas that are not expanded again: recursive ones, and those beyond the limits. */
  readonly kept: readonly Applied[];
  /** The types that `type` allows, an integer being a number; null without any `type`. */
  readonly types: ReadonlySet<TypeName> | null;
}

/** How much may still be repeated. First uses cost nothing: they are no larger than the file. */
export interface Budget {
  readonly used: Set<SchemaObject>;
  repeats: number;
}

const MAX_DEPTH = 100;
const MAX_REPEATS = 5000;

/** A budget for one schema. */
export function newBudget(): Budget {
  return { used: new Set(), repeats: MAX_REPEATS };
}

function isOn(trail: Trail | null, schema: SchemaObject): boolean {
  for (let at = trail; at !== null; at = at.up) if (at.schema === schema) return true;
  return false;
}

/** Counts what would be written once more: the schema and the values of its `enum`. */
function spend(budget: Budget, schema: SchemaObject): boolean {
  if (!budget.used.has(schema)) {
    budget.used.add(schema);
    return true;
  }
  let size = 1 + schema.required.length;
  for (const constraint of schema.constraints) {
    size += constraint.kind === "usable" ? comparisonsOf(constraint.operator) : 1;
  }
  if (size > budget.repeats) return false;
  budget.repeats -= size;
  return true;
}

function typesOf(schemas: readonly Applied<SchemaObject>[]): ReadonlySet<TypeName> | null {
  const declared = schemas.flatMap(({ schema }) => (schema.types === null ? [] : [schema.types]));
  if (declared.length === 0) return null;
  const sets = declared.map((types) => new Set(types.map((type): TypeName => (type === "integer" ? "number" : type))));
  return new Set(TYPE_NAMES.filter((type) => sets.every((set) => set.has(type))));
}

/** Follows `allOf` and refs from the schemas of a place. */
export function mergeSchemas(applied: readonly Applied[], limits: { budget: Budget; depth: number }): Merged {
  const expanded: Applied<SchemaObject>[] = [];
  const kept: Applied[] = [];
  const seen = new Set<SchemaObject>();
  const waiting = [...applied];
  // Grows while it runs. A schema that applies twice at one place adds nothing.
  for (const item of waiting) {
    const { schema, trail, shared } = item;
    if (typeof schema === "boolean") {
      kept.push(item);
      continue;
    }
    if (seen.has(schema)) continue;
    seen.add(schema);
    if (isOn(trail, schema) || limits.depth > MAX_DEPTH || !spend(limits.budget, schema)) {
      kept.push({ schema, trail, shared: true });
      continue;
    }
    expanded.push({ schema, trail, shared });
    const below: Trail = { schema, up: trail };
    for (const part of schema.allOf) waiting.push({ schema: part, trail: below, shared });
    if (schema.link !== null) waiting.push({ schema: schema.link.target, trail: below, shared: true });
  }
  return { expanded, kept, types: typesOf(expanded) };
}
