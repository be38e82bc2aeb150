import type { OtherKeyword, Schema } from "./schema-tree.js";
import { COUNT, FLAG } from "./shapes.js";
import { bad, has, keywordSpan, read, readSchema, readSchemas, type Site } from "./site.js";

/** Schemas of the items of a list by their place in it. */
export interface Items {
  readonly prefix: readonly Schema[];
  readonly rest: Schema | null;
}

/** `prefixItems` and `items` of draft 2020-12, or the list in `items` and `additionalItems` of draft 07. */
export function readItems(site: Site): Items {
  const isTuple = Array.isArray(site.json.items);
  const additional = readSchema(site, "additionalItems");
  if (!isTuple) {
    if (has(site, "additionalItems")) {
      const span = keywordSpan(site, "additionalItems");
      site.reading.problems.push({ kind: "unenforced_schema_keyword", span, keyword: "additionalItems" });
    }
    return { prefix: readSchemas(site, "prefixItems") ?? [], rest: readSchema(site, "items") ?? null };
  }
  if (has(site, "prefixItems")) {
    bad(site, keywordSpan(site, "items"), "`items` must be a schema if there is also `prefixItems`");
  }
  return { prefix: readSchemas(site, "items") ?? [], rest: additional ?? null };
}

function readContains(site: Site): OtherKeyword[] {
  const min = read(site, "minContains", COUNT) ?? 1;
  const max = read(site, "maxContains", COUNT) ?? null;
  const schema = readSchema(site, "contains");
  if (schema === undefined) return [];
  return [{ build: (lower) => ({ kind: "contains", node: lower(schema), min, max }), onSameValue: [] }];
}

/** The keywords for lists that stay in the schema check. */
export function readListKeywords(site: Site): readonly OtherKeyword[] {
  const min = read(site, "minItems", COUNT);
  const max = read(site, "maxItems", COUNT);
  const found: OtherKeyword[] = [];
  if (min !== undefined) found.push({ build: () => ({ kind: "min_items", count: min }), onSameValue: [] });
  if (max !== undefined) found.push({ build: () => ({ kind: "max_items", count: max }), onSameValue: [] });
  if (read(site, "uniqueItems", FLAG) === true) {
    found.push({ build: () => ({ kind: "unique_items" }), onSameValue: [] });
  }
  return [...found, ...readContains(site)];
}
