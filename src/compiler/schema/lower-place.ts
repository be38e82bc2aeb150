import type { SchemaNode, SchemaTest } from "../../artifact/compiled-schema.js";
import type { DerivedInvariant, Place } from "../../artifact/compiled-value.js";
import type { TypeName } from "../../base/json.js";
import { jsonPath, type Segment, type Selector } from "../../base/json-path.js";
import type { Span } from "../../diagnostics/source.js";
import { allOf, type Lowering, lowerNode, ownTests, refTo } from "./lower-node.js";
import { type Applied, type Budget, type Merged, mergeSchemas } from "./merge-schemas.js";
import type { Constraint, Schema } from "./schema-tree.js";

/** A derivable keyword at a certain place of the arguments. */
export interface DerivedKeyword {
  readonly keyword: string;
  /** Canonical text of the invariant's path. */
  readonly path: string;
  readonly span: Span;
  readonly invariant: DerivedInvariant;
}

/** The lowering of places, which also collects derived invariants. */
export interface PlaceLowering extends Lowering {
  readonly derived: DerivedKeyword[];
  readonly budget: Budget;
  readonly place: (span: Span) => Place;
}

/** A place that applies to every value: its path, and what applies there. */
export interface SchemaPlace {
  readonly segments: readonly Segment[];
  /** False where every accepted call has the value. */
  readonly optional: boolean;
  readonly applied: readonly Applied[];
}

function lowerAway(lowering: Lowering, { schema, shared }: Applied): SchemaNode {
  return shared ? refTo(lowering, schema) : lowerNode(lowering, schema);
}

function passesOf(constraint: Constraint & { kind: "usable" }, merged: Merged): readonly TypeName[] {
  if (constraint.judges === null || merged.types === null) return [];
  return [...merged.types].filter((type) => type !== constraint.judges);
}

function derive(lowering: PlaceLowering, place: SchemaPlace, merged: Merged): void {
  const path = jsonPath(place.segments);
  for (const constraint of merged.expanded.flatMap(({ schema }) => schema.constraints)) {
    const { span } = constraint;
    if (constraint.kind === "rejected") {
      const { pattern, problem } = constraint;
      lowering.problems.push({ kind: "unsupported_schema_pattern", span, pattern, problem, path: path.text });
      continue;
    }
    const { keyword, operator } = constraint;
    const passes = passesOf(constraint, merged);
    const invariant = { at: lowering.place(span), path, operator, optional: place.optional, passes };
    lowering.derived.push({ keyword, path: path.text, span, invariant });
  }
}

type Children<K> = ReadonlyMap<K, readonly Applied[]>;

function collect<K>(
  merged: Merged,
  childrenOf: (from: Merged["expanded"][number]) => Iterable<readonly [K, Schema]>,
): Children<K> {
  const children = new Map<K, Applied[]>();
  for (const from of merged.expanded) {
    for (const [key, schema] of childrenOf(from)) {
      const known = children.get(key) ?? [];
      children.set(key, known);
      known.push({ schema, trail: { schema: from.schema, up: from.trail }, shared: from.shared });
    }
  }
  return children;
}

function child(place: SchemaPlace, selector: Selector, applied: readonly Applied[]): SchemaPlace {
  const segments = [...place.segments, { descend: false, selectors: [selector] }];
  return { segments, optional: true, applied };
}

function lowerProperties(lowering: PlaceLowering, place: SchemaPlace, merged: Merged): readonly SchemaTest[] {
  const required = new Set(merged.expanded.flatMap(({ schema }) => schema.required));
  // Where the schema allows a list or null instead of the object, that is not a missing property.
  const certain = !place.optional && (merged.types === null || [...merged.types].every((type) => type === "object"));
  const entries = [...collect(merged, ({ schema }) => schema.properties)].flatMap(([name, applied]) => {
    const optional = !(certain && required.has(name));
    const node = lowerPlace(lowering, { ...child(place, { kind: "name", name }, applied), optional });
    return node === true ? [] : [{ name, node }];
  });
  return entries.length === 0 ? [] : [{ kind: "properties", entries }];
}

function lowerItems(lowering: PlaceLowering, place: SchemaPlace, merged: Merged): readonly SchemaTest[] {
  const tests: SchemaTest[] = [];
  const nodes: SchemaNode[] = [];
  for (const [index, applied] of collect(merged, ({ schema }) => schema.prefix.entries())) {
    nodes[index] = lowerPlace(lowering, child(place, { kind: "index", index }, applied));
  }
  if (nodes.some((node) => node !== true)) tests.push({ kind: "prefix_items", nodes });
  const rests = collect(merged, ({ schema }) =>
    schema.rest === null ? [] : [[schema.prefix.length, schema.rest] as const],
  );
  for (const [from, applied] of rests) {
    const selector: Selector = from === 0 ? { kind: "wildcard" } : { kind: "slice", start: from, end: null, step: 1 };
    // `[*]` also picks the members of an object, which `items` does not apply to.
    const isCertain = from > 0 || merged.types === null || !merged.types.has("object");
    const node = isCertain
      ? lowerPlace(lowering, child(place, selector, applied))
      : allOf(applied.map((schema) => lowerAway(lowering, schema)));
    if (node !== true) tests.push({ kind: "items", from, node });
  }
  return tests;
}

/** Lowers what applies at a place: derivable keywords become invariants of its path, the rest a node. */
export function lowerPlace(lowering: PlaceLowering, place: SchemaPlace): SchemaNode {
  const merged = mergeSchemas(place.applied, { budget: lowering.budget, depth: place.segments.length });
  derive(lowering, place, merged);
  const own = merged.expanded.flatMap(({ schema, shared }) =>
    ownTests(schema, (inner) => lowerAway(lowering, { schema: inner, shared, trail: null })),
  );
  const tests = [...own, ...lowerProperties(lowering, place, merged), ...lowerItems(lowering, place, merged)];
  return allOf([tests, ...merged.kept.map((kept) => lowerAway(lowering, kept))]);
}
