import type { JsonObject } from "../../base/json.js";
import { suggest } from "../../base/suggest.js";
import { findLoops } from "./find-loops.js";
import { ANNOTATIONS, ENFORCED, KNOWN, NEEDS, UNSUPPORTED } from "./keywords.js";
import { readCombinedKeywords } from "./read-combined-keywords.js";
import { readConstraints } from "./read-constraints.js";
import { readItems, readListKeywords } from "./read-list-keywords.js";
import { readObjectKeywords } from "./read-object-keywords.js";
import { readRef } from "./read-ref.js";
import type { SchemaProblem } from "./schema-problem.js";
import type { Schema, SchemaObject } from "./schema-tree.js";
import { NAMES, TEXT, TYPES } from "./shapes.js";
import { has, keywordSpan, type Reading, read, readSchemaMap, readSchemas, type Site } from "./site.js";

function reportKeyword(site: Site, keyword: string): void {
  const { problems } = site.reading;
  const span = keywordSpan(site, keyword);
  const help = UNSUPPORTED.get(keyword);
  if (help !== undefined) {
    problems.push({ kind: "unsupported_schema_keyword", span, keyword, help });
    return;
  }
  if (ANNOTATIONS.has(keyword) || /^x[-_]/.test(keyword)) return;
  if (ENFORCED.has(keyword)) {
    const needed = NEEDS.get(keyword);
    if (needed?.some((other) => has(site, other)) ?? true) return;
    problems.push({ kind: "unenforced_schema_keyword", span, keyword });
    return;
  }
  const suggestion = KNOWN.includes(keyword) ? undefined : suggest(keyword, KNOWN);
  problems.push({
    kind: "unenforced_schema_keyword",
    span,
    keyword,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

/** An `$id` that is not a mere name (draft 07: `#name`) starts a separate resource with its own local refs. */
function baseOf(site: Site): JsonObject {
  const id = read(site, "$id", TEXT);
  return id === undefined || id.startsWith("#") ? site.base : site.json;
}

function readKeywords(outer: Site): SchemaObject {
  const site: Site = { ...outer, base: baseOf(outer) };
  for (const keyword of Object.keys(site.json)) reportKeyword(site, keyword);
  for (const definitions of ["$defs", "definitions"]) readSchemaMap(site, definitions);
  const properties = readSchemaMap(site, "properties") ?? new Map<string, Schema>();
  return {
    types: read(site, "type", TYPES) ?? null,
    constraints: readConstraints(site),
    required: read(site, "required", NAMES) ?? [],
    properties,
    ...readItems(site),
    allOf: readSchemas(site, "allOf") ?? [],
    link: readRef(site),
    others: [
      ...readObjectKeywords(site, [...properties.keys()]),
      ...readListKeywords(site),
      ...readCombinedKeywords(site),
    ],
  };
}

/** A schema as read, with all its problems except rejected values of `pattern`. */
export interface ReadSchema {
  readonly schema: Schema;
  readonly problems: readonly SchemaProblem[];
}

/** Reads a schema with everything below it and every definition, used or not. */
export function readSchemaTree(root: JsonObject | boolean): ReadSchema {
  if (typeof root === "boolean") return { schema: root, problems: [] };
  const reading: Reading = {
    problems: [],
    known: new Map(),
    links: [],
    readObject(json, base, depth) {
      const known = reading.known.get(json);
      if (known !== undefined) return known;
      const schema = readKeywords({ reading, json, base, depth });
      reading.known.set(json, schema);
      return schema;
    },
  };
  const schema = reading.readObject(root, root, 0);
  // Grows while it runs: a target outside the tree of schemas is read here and may have refs itself.
  for (const { link, json, base } of reading.links) link.target = reading.readObject(json, base, 0);
  for (const link of findLoops(reading.known.values())) {
    const message = "`$ref` leads back to itself without going down into the value";
    reading.problems.push({ kind: "bad_schema", span: link.span, message });
  }
  return { schema, problems: reading.problems };
}
