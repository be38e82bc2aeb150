import type { CompiledSchema } from "../../artifact/compiled-schema.js";
import type { Place } from "../../artifact/compiled-value.js";
import type { JsonObject } from "../../base/json.js";
import type { Span } from "../../diagnostics/source.js";
import { lowerDefs } from "./lower-node.js";
import { type DerivedKeyword, lowerPlace, type PlaceLowering } from "./lower-place.js";
import { newBudget } from "./merge-schemas.js";
import { readSchemaTree } from "./read-schema.js";
import type { SchemaProblem } from "./schema-problem.js";

/** A JSON Schema in two parts: what users can switch off path by path, and the rest. */
export interface LoweredSchema {
  readonly check: CompiledSchema;
  readonly derived: readonly DerivedKeyword[];
  readonly problems: readonly SchemaProblem[];
}

/** Lowers the schema of a tool; where it is malformed, the check refuses every value. */
export function lowerSchema(schema: JsonObject | boolean, place: (span: Span) => Place): LoweredSchema {
  const tree = readSchemaTree(schema);
  const isBroken = tree.problems.some(({ kind }) => kind === "bad_schema" || kind === "unsupported_schema_keyword");
  if (isBroken) return { check: { root: false, defs: [] }, derived: [], problems: tree.problems };
  const lowering: PlaceLowering = {
    problems: [...tree.problems],
    defs: new Map(),
    reported: new Set(),
    derived: [],
    budget: newBudget(),
    place,
  };
  const applied = [{ schema: tree.schema, trail: null, shared: false }];
  const root = lowerPlace(lowering, { segments: [], optional: false, applied });
  const check = { root, defs: lowerDefs(lowering) };
  return { check, derived: lowering.derived, problems: lowering.problems };
}
