import { isJsonObject, type Json } from "../base/json.js";
import type { Span } from "../diagnostics/source.js";
import type { Schema } from "./contract-schemas.js";
import { placesIn } from "./located.js";

/** A key that version 1.0 of the language lacks, where a file has it. */
export interface LaterKey {
  readonly key: string;
  readonly span: Span;
}

/** The keys among those of a schema that a later version of the language has brought; `schema/` marks them with `since`. */
export function laterNames(properties: Readonly<Record<string, Schema>>): readonly string[] {
  return Object.entries(properties).flatMap(([name, { since }]) => (since === undefined ? [] : [name]));
}

/** Walks a file beside its schema. An alias makes one container stand at several places: each is visited once per schema. */
class LaterKeys {
  readonly found: LaterKey[] = [];
  private readonly visited = new Map<Schema, Set<object>>();

  visit(schema: Schema | false | undefined, value: Json | undefined): void {
    if (typeof schema !== "object" || typeof value !== "object" || value === null) return;
    const seen = this.visited.get(schema) ?? new Set();
    if (seen.has(value)) return;
    this.visited.set(schema, seen.add(value));
    for (const branch of schema.anyOf ?? []) this.visit(branch, value);
    if (isJsonObject(value)) this.mapping(schema, value);
    else for (const item of value) this.visit(schema.items, item);
  }

  private mapping(schema: Schema, value: Readonly<Record<string, Json>>): void {
    const { properties = {} } = schema;
    for (const [key, item] of Object.entries(value)) {
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const span = placesIn(value).keys.get(key);
      if (known?.since !== undefined && span !== undefined) this.found.push({ key, span });
      this.visit(known ?? schema.additionalProperties, item);
    }
  }
}

/** The keys of a file that version 1.0 of the language lacks, in the order of the file. */
export function laterKeys(schema: Schema, root: Json): readonly LaterKey[] {
  const walk = new LaterKeys();
  walk.visit(schema, root);
  return walk.found;
}
