import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { Span } from "../../diagnostics/source.js";
import { keySpan, spanOf, valueSpan } from "../../language/located.js";
import type { SchemaProblem } from "./schema-problem.js";
import type { Link, Schema, SchemaObject } from "./schema-tree.js";
import { LIST, MAP, type Shape } from "./shapes.js";

/** The state shared while one schema is read, with its subschemas and refs. */
export interface Reading {
  readonly problems: SchemaProblem[];
  readonly known: Map<JsonObject, SchemaObject>;
  /** Refs whose targets are read after the tree, so that each is read at its own place. */
  readonly links: { readonly link: Link; readonly json: JsonObject; readonly base: JsonObject }[];
  readonly readObject: (json: JsonObject, base: JsonObject, depth: number) => SchemaObject;
}

/** One schema object while its keywords are read. */
export interface Site {
  readonly reading: Reading;
  readonly json: JsonObject;
  /** The root of the schema resource, which local refs start from: the nearest `$id`, or the whole. */
  readonly base: JsonObject;
  readonly depth: number;
}

const MAX_DEPTH = 100;

/** True where the schema itself has the keyword. */
export function has(site: Site, key: string): boolean {
  return Object.hasOwn(site.json, key);
}

/** Reports a malformed part of a schema. */
export function bad(site: Site, span: Span, message: string): void {
  site.reading.problems.push({ kind: "bad_schema", span, message });
}

/** The value of a keyword; undefined where it is absent, or malformed, which is then reported. */
export function read<T>(site: Site, key: string, shape: Shape<T>): T | undefined {
  if (!has(site, key)) return undefined;
  const value = shape.accept(site.json[key] ?? null);
  if (value === undefined) bad(site, valueSpan(site.json, key), `\`${key}\` must be ${shape.expected}`);
  return value;
}

function schemaFrom(site: Site, value: Json, where: { readonly span: Span; readonly name: string }): Schema {
  if (typeof value === "boolean") return value;
  if (!isJsonObject(value)) {
    bad(site, where.span, `${where.name} must be a schema: an object, true or false`);
    return false;
  }
  if (site.depth >= MAX_DEPTH) {
    bad(site, spanOf(value), `schemas may be nested at most ${MAX_DEPTH} levels deep`);
    return false;
  }
  return site.reading.readObject(value, site.base, site.depth + 1);
}

/** The subschema under a keyword. */
export function readSchema(site: Site, key: string): Schema | undefined {
  if (!has(site, key)) return undefined;
  return schemaFrom(site, site.json[key] ?? null, { span: valueSpan(site.json, key), name: `\`${key}\`` });
}

/** The list of subschemas under a keyword. */
export function readSchemas(site: Site, key: string): readonly Schema[] | undefined {
  const list = read(site, key, LIST);
  return list?.map((item, index) =>
    schemaFrom(site, item, { span: valueSpan(list, index), name: `each item of \`${key}\`` }),
  );
}

/** The subschemas under a keyword by the names that the user gave them; `accepts` picks the entries to read. */
export function readSchemaMap(
  site: Site,
  key: string,
  accepts: (value: Json) => boolean = () => true,
): ReadonlyMap<string, Schema> | undefined {
  const map = read(site, key, MAP);
  if (map === undefined) return undefined;
  const schemas = new Map<string, Schema>();
  for (const [name, value] of Object.entries(map)) {
    if (!accepts(value)) continue;
    schemas.set(name, schemaFrom(site, value, { span: valueSpan(map, name), name: `\`${name}\` in \`${key}\`` }));
  }
  return schemas;
}

/** The span to underline for a keyword as such. */
export function keywordSpan(site: Site, key: string): Span {
  return keySpan(site.json, key);
}
