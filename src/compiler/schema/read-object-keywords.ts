import type { CompiledPattern } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import { keySpan, valueSpan } from "../../language/located.js";
import { parseRegex } from "../../language/regex/parse-regex.js";
import type { OtherKeyword, Schema } from "./schema-tree.js";
import { COUNT, MAP, NAMES } from "./shapes.js";
import { bad, read, readSchema, readSchemaMap, type Site } from "./site.js";

interface PatternProperty {
  readonly pattern: CompiledPattern;
  readonly schema: Schema;
}

function readPatternProperties(site: Site): readonly PatternProperty[] {
  const key = "patternProperties";
  const map = read(site, key, MAP);
  if (map === undefined) return [];
  return [...(readSchemaMap(site, key) ?? [])].flatMap(([source, schema]) => {
    const result = parseRegex(source);
    if (result.ok) return [{ pattern: result.pattern, schema }];
    const { problem } = result;
    const span = keySpan(map, source);
    site.reading.problems.push({ kind: "unsupported_schema_pattern", span, pattern: source, problem, path: null });
    return [];
  });
}

function readOpenProperties(site: Site, names: readonly string[]): OtherKeyword[] {
  const found: OtherKeyword[] = [];
  const byPattern = readPatternProperties(site);
  if (byPattern.length > 0) {
    const entries = (lower: Parameters<OtherKeyword["build"]>[0]) =>
      byPattern.map(({ pattern, schema }) => ({ pattern, node: lower(schema) }));
    found.push({ build: (lower) => ({ kind: "pattern_properties", entries: entries(lower) }), onSameValue: [] });
  }
  const additional = readSchema(site, "additionalProperties");
  if (additional !== undefined && additional !== true) {
    const patterns = byPattern.map(({ pattern }) => pattern);
    found.push({
      build: (lower) => ({ kind: "additional_properties", names, patterns, node: lower(additional) }),
      onSameValue: [],
    });
  }
  const ofNames = readSchema(site, "propertyNames");
  if (ofNames !== undefined) {
    found.push({ build: (lower) => ({ kind: "property_names", node: lower(ofNames) }), onSameValue: [] });
  }
  return found;
}

function readNameLists(site: Site, key: string, accepts: (value: Json) => boolean = () => true): OtherKeyword[] {
  const map = read(site, key, MAP) ?? {};
  const entries: { name: string; names: readonly string[] }[] = [];
  for (const [name, value] of Object.entries(map)) {
    if (!accepts(value)) continue;
    const names = NAMES.accept(value);
    if (names === undefined) bad(site, valueSpan(map, name), `\`${name}\` in \`${key}\` must be ${NAMES.expected}`);
    else entries.push({ name, names });
  }
  return entries.length === 0 ? [] : [{ build: () => ({ kind: "dependent_required", entries }), onSameValue: [] }];
}

function readSchemasByName(site: Site, key: string, accepts: (value: Json) => boolean = () => true): OtherKeyword[] {
  const schemas = readSchemaMap(site, key, accepts) ?? new Map<string, Schema>();
  if (schemas.size === 0) return [];
  return [
    {
      build: (lower) => ({
        kind: "dependent_schemas",
        entries: [...schemas].map(([name, schema]) => ({ name, node: lower(schema) })),
      }),
      onSameValue: [...schemas.values()],
    },
  ];
}

/** `dependencies` of draft 07 holds, under each name, either a list of names or a schema. */
function readDraft07Dependencies(site: Site): OtherKeyword[] {
  if (read(site, "dependencies", MAP) === undefined) return [];
  return [
    ...readNameLists(site, "dependencies", (value) => Array.isArray(value)),
    ...readSchemasByName(site, "dependencies", (value) => !Array.isArray(value)),
  ];
}

function readCounts(site: Site): OtherKeyword[] {
  const min = read(site, "minProperties", COUNT);
  const max = read(site, "maxProperties", COUNT);
  return [
    ...(min === undefined ? [] : [{ build: () => ({ kind: "min_properties", count: min }) as const, onSameValue: [] }]),
    ...(max === undefined ? [] : [{ build: () => ({ kind: "max_properties", count: max }) as const, onSameValue: [] }]),
  ];
}

/** The keywords for objects that stay in the schema check; `names` are those in `properties` beside them. */
export function readObjectKeywords(site: Site, names: readonly string[]): readonly OtherKeyword[] {
  return [
    ...readCounts(site),
    ...readOpenProperties(site, names),
    ...readNameLists(site, "dependentRequired"),
    ...readSchemasByName(site, "dependentSchemas"),
    ...readDraft07Dependencies(site),
  ];
}
