import { describe, expect, it } from "vitest";
import { breakingChanges } from "../../src/analysis/values/schema-changes.js";
import { schemaValues, schemaValuesAt } from "../../src/analysis/values/schema-values.js";
import type { CompiledSchema, SchemaNode, SchemaTest } from "../../src/artifact/compiled-schema.js";
import type { CompiledPattern } from "../../src/artifact/compiled-value.js";
import type { Json, TypeName } from "../../src/base/json.js";
import { checkSchema } from "../../src/guard/program/schema-check.js";

function native(source: string): CompiledPattern {
  return { engine: "native", source };
}

function type(...types: readonly TypeName[]): SchemaTest {
  return { kind: "type", types };
}

function properties(entries: Readonly<Record<string, SchemaNode>>): SchemaTest {
  return { kind: "properties", entries: Object.entries(entries).map(([name, node]) => ({ name, node })) };
}

function required(...names: readonly string[]): SchemaTest {
  return { kind: "required", names };
}

interface Row {
  readonly name: string;
  readonly root: SchemaNode;
  readonly defs?: readonly SchemaNode[];
}

const NODES: readonly Row[] = [
  { name: "anything", root: true },
  { name: "a type", root: [type("integer")] },
  { name: "several types", root: [type("null", "string")] },
  { name: "an enum", root: [{ kind: "enum", values: ["a", 2, null] }] },
  { name: "a constant", root: [{ kind: "const", value: { a: [1] } }] },
  {
    name: "bounds",
    root: [
      type("number"),
      { kind: "exclusive_minimum", value: 3 },
      { kind: "maximum", value: 3.5 },
      { kind: "multiple_of", value: 0.25 },
    ],
  },
  {
    name: "texts",
    root: [
      type("string"),
      { kind: "pattern", pattern: native("^[a-f]+$") },
      { kind: "min_length", count: 7 },
      { kind: "max_length", count: 9 },
    ],
  },
  {
    name: "an object",
    root: [
      type("object"),
      required("a", "b"),
      properties({ a: [type("string")], b: [type("object"), required("c"), properties({ c: [type("boolean")] })] }),
      { kind: "additional_properties", names: ["a", "b"], patterns: [], node: false },
    ],
  },
  {
    name: "names and counts of properties",
    root: [
      type("object"),
      { kind: "min_properties", count: 3 },
      { kind: "max_properties", count: 3 },
      { kind: "property_names", node: [{ kind: "pattern", pattern: native("^item[0-9]$") }] },
      { kind: "pattern_properties", entries: [{ pattern: native("^item"), node: [type("number")] }] },
    ],
  },
  {
    name: "dependencies",
    root: [
      type("object"),
      required("a"),
      { kind: "dependent_required", entries: [{ name: "a", names: ["b"] }] },
      { kind: "dependent_schemas", entries: [{ name: "b", node: [required("c")] }] },
    ],
  },
  {
    name: "lists",
    root: [
      type("array"),
      { kind: "prefix_items", nodes: [[type("string")], [type("number")]] },
      { kind: "items", from: 2, node: [type("boolean")] },
      { kind: "min_items", count: 3 },
      { kind: "max_items", count: 4 },
    ],
  },
  {
    name: "different items",
    root: [
      type("array"),
      { kind: "items", from: 0, node: [type("string")] },
      { kind: "min_items", count: 4 },
      { kind: "unique_items" },
    ],
  },
  {
    name: "contained items",
    root: [type("array"), { kind: "contains", node: [{ kind: "const", value: 5 }], min: 2, max: 2 }],
  },
  {
    name: "alternatives",
    root: [
      {
        kind: "one_of",
        nodes: [
          [type("object"), required("a"), properties({ a: [{ kind: "const", value: 1 }] })],
          [type("object"), required("b"), properties({ b: [{ kind: "const", value: 2 }] })],
        ],
      },
      required("b"),
    ],
  },
  {
    name: "all and any",
    root: [
      { kind: "all_of", nodes: [[type("object")], [required("x")]] },
      { kind: "any_of", nodes: [[required("y")], [required("z")]] },
    ],
  },
  { name: "a negation", root: [type("string"), { kind: "not", node: [{ kind: "const", value: "text" }] }] },
  {
    name: "a condition",
    root: [
      type("object"),
      required("kind"),
      properties({ kind: [{ kind: "enum", values: ["big"] }] }),
      {
        kind: "if_then_else",
        condition: [properties({ kind: [{ kind: "const", value: "big" }] })],
        consequent: [required("reason")],
        alternative: true,
      },
    ],
  },
  {
    name: "a list of lists by reference",
    root: [{ kind: "ref", def: 0 }],
    defs: [
      [
        type("object"),
        required("value"),
        properties({ value: [type("number")], next: [{ kind: "ref", def: 0 }] }),
        { kind: "additional_properties", names: ["value", "next"], patterns: [], node: false },
      ],
    ],
  },
];

function schemaOf({ root, defs = [] }: Row): CompiledSchema {
  return { root, defs };
}

describe.each(NODES)("a schema with $name", (row) => {
  it("has values that the guard accepts", () => {
    const values = schemaValues(schemaOf(row));
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect([value, checkSchema(schemaOf(row), value)]).toEqual([value, null]);
  });
});

describe("values that a schema refuses", () => {
  const objects = NODES.filter(({ root }) => Array.isArray(root) && JSON.stringify(root[0]).includes('"object"'));

  it.each(objects)("are found near those of $name", (row) => {
    const schema = schemaOf(row);
    const [first = null] = schemaValues(schema);
    const refused = [...breakingChanges(schema, first)].filter((value) => checkSchema(schema, value) !== null);
    expect(refused.length).toBeGreaterThan(0);
  });

  it("are at every place", () => {
    const item: SchemaNode = [type("object"), required("n"), properties({ n: [type("number")] })];
    const schema: CompiledSchema = {
      root: [type("object"), properties({ list: [{ kind: "items", from: 0, node: item }] })],
      defs: [],
    };
    const value: Json = { list: [{ n: 1 }] };
    const places = [...breakingChanges(schema, value)].map((changed) => checkSchema(schema, changed)?.path);
    expect(new Set(places)).toEqual(new Set([undefined, "$.list[0]", "$.list[0].n", "$.list[1]"]));
  });
});

describe("a schema without values", () => {
  const nested = (depth: number): SchemaNode =>
    depth === 0 ? [type("string")] : [type("object"), required("a"), properties({ a: nested(depth - 1) })];
  const wide: SchemaNode = [{ kind: "any_of", nodes: Array.from({ length: 5 }, () => [{ kind: "ref", def: 0 }]) }];
  const rows: readonly Row[] = [
    { name: "nothing", root: false },
    { name: "a loop", root: [{ kind: "ref", def: 0 }], defs: [[{ kind: "ref", def: 0 }]] },
    { name: "a fan", root: [{ kind: "ref", def: 0 }], defs: [wide] },
    {
      name: "an endless object",
      root: [{ kind: "ref", def: 0 }],
      defs: [[type("object"), required("a"), properties({ a: [{ kind: "ref", def: 0 }] })]],
    },
    { name: "great depth", root: nested(150) },
    { name: "too many items", root: [type("array"), { kind: "min_items", count: 1e9 }] },
    { name: "too many properties", root: [type("object"), { kind: "min_properties", count: 1e9 }] },
    { name: "too many names", root: [required(...Array.from({ length: 20_000 }, (_, at) => `p${at}`))] },
    { name: "a broken pattern", root: [type("string"), { kind: "pattern", pattern: native("(") }] },
    {
      name: "a long enum",
      root: [{ kind: "enum", values: Array.from({ length: 50_000 }, (_, at) => ({ at })) }, type("string")],
    },
  ];

  it.each(rows)("with $name is soon given up", (row) => {
    const values = schemaValues(schemaOf(row));
    expect(values.length).toBeLessThan(20);
    expect(schemaValuesAt(schemaOf(row), ["a", 0, "b"]).length).toBeLessThan(20);
    for (const value of values) [...breakingChanges(schemaOf(row), value)].slice(0, 100);
  });
});
