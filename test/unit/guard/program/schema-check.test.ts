import { describe, expect, it } from "vitest";
import type { SchemaNode, SchemaTest } from "../../../../src/artifact/compiled-schema.js";
import { withinBudget } from "../../../../src/base/cost.js";
import type { Json } from "../../../../src/base/json.js";
import { checkSchema } from "../../../../src/guard/program/schema-check.js";
import { timed } from "../../../support/processor-time.js";

function check(node: SchemaNode, value: Json, defs: readonly SchemaNode[] = []) {
  return checkSchema({ root: node, defs }, value);
}

const NUMBER: SchemaNode = [{ kind: "type", types: ["number"] }];
const TEXT: SchemaNode = [{ kind: "type", types: ["string"] }];
const native = (source: string) => ({ engine: "native", source }) as const;

interface Case {
  readonly test: SchemaTest;
  readonly keyword: string;
  readonly passes: readonly Json[];
  readonly fails: readonly Json[];
}

const VALUE_CASES: readonly Case[] = [
  { test: { kind: "type", types: ["integer"] }, keyword: "type", passes: [3, 3.0, -0, 1e300], fails: [3.5, "3", null] },
  {
    test: { kind: "type", types: ["number"] },
    keyword: "type",
    passes: [3.5],
    fails: [Number.NaN, Infinity, "1", true],
  },
  { test: { kind: "type", types: ["null", "array"] }, keyword: "type", passes: [null, []], fails: [{}, 0, ""] },
  { test: { kind: "type", types: ["object"] }, keyword: "type", passes: [{}], fails: [null, [], "a"] },
  { test: { kind: "type", types: ["boolean"] }, keyword: "type", passes: [true, false], fails: [0, "true", null] },
  {
    test: { kind: "enum", values: [1, "a", { a: 1, b: [2] }] },
    keyword: "enum",
    passes: [1.0, "a", { b: [2], a: 1 }],
    fails: ["1", { a: 1 }, { a: 1, b: [2], c: 0 }, { a: 1, b: { 0: 2 } }, null],
  },
  { test: { kind: "const", value: null }, keyword: "const", passes: [null], fails: [0, false, "", [], {}] },
  { test: { kind: "const", value: [] }, keyword: "const", passes: [[]], fails: [{}, [null], null, ""] },
  { test: { kind: "minimum", value: 1 }, keyword: "minimum", passes: [1, 2, "0"], fails: [0.9, Number.NaN] },
  { test: { kind: "maximum", value: 1 }, keyword: "maximum", passes: [1, 0, "2"], fails: [1.1, Number.NaN] },
  { test: { kind: "exclusive_minimum", value: 1 }, keyword: "exclusiveMinimum", passes: [1.1, null], fails: [1, 0] },
  { test: { kind: "exclusive_maximum", value: 1 }, keyword: "exclusiveMaximum", passes: [0.9, null], fails: [1, 2] },
  {
    test: { kind: "multiple_of", value: 0.1 },
    keyword: "multipleOf",
    passes: [0.3, 0.7, 1.1, -0.3, 0, 1e21, "x"],
    fails: [0.35, 1e-7, Number.NaN, Infinity],
  },
  { test: { kind: "multiple_of", value: 3 }, keyword: "multipleOf", passes: [9, 3e20, -6], fails: [1, 1e300, 4.5] },
  {
    test: { kind: "multiple_of", value: 1e-8 },
    keyword: "multipleOf",
    passes: [1e-7, 12e-8, 5],
    fails: [1e-9, 5e-324],
  },
  { test: { kind: "min_length", count: 2 }, keyword: "minLength", passes: ["ab", "😀😀", [1]], fails: ["😀", "a", ""] },
  { test: { kind: "max_length", count: 1 }, keyword: "maxLength", passes: ["", "😀", [1, 2]], fails: ["ab", "😀a"] },
  { test: { kind: "pattern", pattern: native("b") }, keyword: "pattern", passes: ["abc", 1], fails: ["", "ac"] },
  { test: { kind: "pattern", pattern: native("^.$") }, keyword: "pattern", passes: ["😀"], fails: ["ab"] },
  {
    test: { kind: "pattern", pattern: { engine: "counted", source: "^(a+)+$" } },
    keyword: "pattern",
    passes: ["a", "a".repeat(5000)],
    fails: ["", `${"a".repeat(5000)}b`],
  },
];

const CONTAINER_CASES: readonly Case[] = [
  { test: { kind: "required", names: ["a"] }, keyword: "required", passes: [{ a: null }, []], fails: [{}, { b: 1 }] },
  {
    test: { kind: "required", names: ["constructor"] },
    keyword: "required",
    passes: [{ constructor: 1 }],
    fails: [{}],
  },
  {
    test: { kind: "required", names: ["__proto__"] },
    keyword: "required",
    passes: [JSON.parse('{"__proto__":1}')],
    fails: [{}],
  },
  { test: { kind: "min_properties", count: 1 }, keyword: "minProperties", passes: [{ a: 1 }, []], fails: [{}] },
  { test: { kind: "max_properties", count: 1 }, keyword: "maxProperties", passes: [{ a: 1 }], fails: [{ a: 1, b: 1 }] },
  {
    test: { kind: "dependent_required", entries: [{ name: "a", names: ["b"] }] },
    keyword: "dependentRequired",
    passes: [{}, { b: 1 }, { a: 1, b: 1 }, "a"],
    fails: [{ a: 1 }],
  },
  {
    test: { kind: "dependent_schemas", entries: [{ name: "toString", node: [{ kind: "max_properties", count: 1 }] }] },
    keyword: "maxProperties",
    passes: [{ a: 1, b: 1 }, { toString: 1 }],
    fails: [{ toString: 1, b: 1 }],
  },
  {
    test: { kind: "property_names", node: [{ kind: "max_length", count: 1 }] },
    keyword: "propertyNames",
    passes: [{}, { a: 1 }, ["abc"]],
    fails: [{ a: 1, ab: 1 }],
  },
  {
    test: { kind: "contains", node: NUMBER, min: 1, max: 2 },
    keyword: "contains",
    passes: [["a", 1], [1, 2], {}],
    fails: [[], ["a"]],
  },
  {
    test: { kind: "contains", node: NUMBER, min: 0, max: 1 },
    keyword: "maxContains",
    passes: [[], [1]],
    fails: [[1, 2]],
  },
  { test: { kind: "min_items", count: 1 }, keyword: "minItems", passes: [[1], ""], fails: [[]] },
  { test: { kind: "max_items", count: 1 }, keyword: "maxItems", passes: [[1], "ab"], fails: [[1, 2]] },
  {
    test: { kind: "unique_items" },
    keyword: "uniqueItems",
    passes: [
      [],
      [1, "1"],
      [null, false, 0, ""],
      [
        [1, 2],
        [2, 1],
      ],
      [{ a: 1 }, { a: 2 }],
      "aa",
    ],
    fails: [
      [1, 1.0],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[1], 2, [1]],
      [0, -0],
    ],
  },
];

const COMBINED_CASES: readonly Case[] = [
  { test: { kind: "all_of", nodes: [true, NUMBER] }, keyword: "type", passes: [1], fails: ["a"] },
  { test: { kind: "any_of", nodes: [NUMBER, TEXT] }, keyword: "anyOf", passes: [1, "a"], fails: [null] },
  { test: { kind: "one_of", nodes: [NUMBER, true] }, keyword: "oneOf", passes: ["a"], fails: [1] },
  { test: { kind: "one_of", nodes: [NUMBER, false] }, keyword: "oneOf", passes: [1], fails: ["a"] },
  { test: { kind: "not", node: NUMBER }, keyword: "not", passes: ["a"], fails: [1] },
  {
    test: {
      kind: "if_then_else",
      condition: NUMBER,
      consequent: [{ kind: "minimum", value: 1 }],
      alternative: [{ kind: "enum", values: [null] }],
    },
    keyword: "enum",
    passes: [1, null],
    fails: ["a", {}],
  },
];

describe("checkSchema", () => {
  it.each([...VALUE_CASES, ...CONTAINER_CASES, ...COMBINED_CASES])(
    "judges $test",
    ({ test, keyword, passes, fails }) => {
      for (const value of passes) expect({ value, failure: check([test], value) }).toEqual({ value, failure: null });
      for (const value of fails) expect(check([test], value)).toMatchObject({ keyword, path: "$" });
    },
  );

  it.each<[string, SchemaTest, Json, string, string]>([
    ["a property", { kind: "properties", entries: [{ name: "a", node: NUMBER }] }, { a: "x" }, "$.a", "type"],
    [
      "a name to quote",
      { kind: "properties", entries: [{ name: "a b", node: NUMBER }] },
      { "a b": "x" },
      "$['a b']",
      "type",
    ],
    ["an item", { kind: "items", from: 0, node: NUMBER }, [1, "x"], "$[1]", "type"],
    ["an item after the prefix", { kind: "items", from: 1, node: NUMBER }, ["x", "y"], "$[1]", "type"],
    ["a prefix item", { kind: "prefix_items", nodes: [true, NUMBER] }, ["x", "y"], "$[1]", "type"],
    [
      "a property by pattern",
      { kind: "pattern_properties", entries: [{ pattern: native("^a"), node: NUMBER }] },
      { b: "x", ab: "x" },
      "$.ab",
      "type",
    ],
    [
      "an additional property",
      { kind: "additional_properties", names: ["a"], patterns: [native("^b")], node: false },
      { a: 1, bb: 1, c: 1 },
      "$.c",
      "additionalProperties",
    ],
    [
      "an additional property named like an inherited one",
      { kind: "additional_properties", names: [], patterns: [], node: NUMBER },
      { constructor: "x" },
      "$.constructor",
      "type",
    ],
  ])("names the path of %s", (_, test, value, path, keyword) => {
    expect(check([test], value)).toMatchObject({ path, keyword });
  });

  it("says what was required and what was found", () => {
    const node: SchemaNode = [{ kind: "additional_properties", names: ["a", "b"], patterns: [], node: false }];
    expect(check(node, { c: 5 })).toEqual({
      path: "$.c",
      keyword: "additionalProperties",
      required: "no property besides `a`, `b`",
      found: 5,
    });
    expect(check([{ kind: "required", names: ["a", "b"] }], { a: 1 })).toMatchObject({
      required: "an object with `b`",
    });
    expect(check([{ kind: "enum", values: ["x", 1] }], 2)).toMatchObject({ required: 'one of "x", 1', found: 2 });
  });

  it("reports the one alternative that is meant for the type of the value", () => {
    const node: SchemaNode = [
      {
        kind: "any_of",
        nodes: [
          [{ kind: "type", types: ["null"] }],
          [
            { kind: "type", types: ["number"] },
            { kind: "minimum", value: 1 },
          ],
        ],
      },
    ];
    expect(check(node, 0)).toMatchObject({ keyword: "minimum", required: "at least 1" });
    expect(check(node, "x")).toMatchObject({
      keyword: "anyOf",
      required: "a value of type null, or a value of type number",
    });
  });

  it("does not look at inherited properties", () => {
    const node: SchemaNode = [{ kind: "properties", entries: [{ name: "constructor", node: false }] }];
    expect(check(node, {})).toBeNull();
    expect(check(node, { constructor: 1 })).toMatchObject({ path: "$.constructor" });
  });

  it("follows refs, also recursive ones", () => {
    const defs: readonly SchemaNode[] = [
      [
        { kind: "type", types: ["object"] },
        { kind: "properties", entries: [{ name: "next", node: [{ kind: "ref", def: 0 }] }] },
      ],
    ];
    const root: SchemaNode = [{ kind: "ref", def: 0 }];
    expect(check(root, { next: { next: {} } }, defs)).toBeNull();
    expect(check(root, { next: { next: 5 } }, defs)).toMatchObject({ path: "$.next.next", found: 5 });
  });
});

describe("the limits of checkSchema", () => {
  const link: SchemaNode = [
    {
      kind: "any_of",
      nodes: [
        [{ kind: "type", types: ["null"] }],
        [{ kind: "properties", entries: [{ name: "next", node: [{ kind: "ref", def: 0 }] }] }],
      ],
    },
  ];

  function chain(length: number): Json {
    let value: Json = null;
    for (let index = 0; index < length; index++) value = { next: value };
    return value;
  }

  it("let a value of 200 levels pass and refuse a deeper one", () => {
    expect(check([{ kind: "ref", def: 0 }], chain(200), [link])).toBeNull();
    expect(check([{ kind: "ref", def: 0 }], chain(201), [link])).toMatchObject({ path: "$", keyword: "limits" });
    expect(check(true, chain(50_000))).toMatchObject({ keyword: "limits" });
  });

  it("refuse what cannot be judged also below a `not`", () => {
    const loop: SchemaNode = [{ kind: "not", node: [{ kind: "ref", def: 0 }] }];
    expect(check([{ kind: "not", node: [{ kind: "ref", def: 0 }] }], 1, [loop])).toMatchObject({ keyword: "limits" });
  });

  it("end a judgement that fans out exponentially", () => {
    const defs = Array.from({ length: 60 }, (_, index): SchemaNode => {
      const next: SchemaNode = [{ kind: "ref", def: index + 1 }];
      return [{ kind: "any_of", nodes: [next, next] }];
    });
    const { result, milliseconds } = timed(() => check([{ kind: "ref", def: 0 }], 1, [...defs, false]));
    expect(result).toMatchObject({ keyword: "limits" });
    expect(milliseconds).toBeLessThan(5000);
  });

  it("measure a text of 120 million characters without spelling it out", () => {
    const text = "x".repeat(120_000_000);
    const of = (kind: "min_length" | "max_length", count: number) => ({ root: [{ kind, count }], defs: [] });
    expect(checkSchema(of("max_length", 100), text)).toMatchObject({ keyword: "maxLength" });
    expect(checkSchema(of("min_length", 100), text)).toBeNull();
    expect(checkSchema(of("max_length", 100_000_000), text)).toMatchObject({ keyword: "maxLength" });
  });

  it("throw within a budget that does not last", () => {
    const value = Array.from({ length: 300_000 }, () => ({ a: 1 }));
    const item = [{ kind: "property_names", node: [{ kind: "min_length", count: 1 }] } as const];
    const schema = { root: [{ kind: "items", from: 0, node: item } as const], defs: [] };
    expect(checkSchema(schema, value)).toBeNull();
    expect(
      withinBudget<unknown>(
        () => checkSchema(schema, value),
        () => "too much",
      ),
    ).toBe("too much");
  });

  it("hold for long lists", () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => index);
    expect(check([{ kind: "unique_items" }, { kind: "items", from: 0, node: NUMBER }], numbers)).toBeNull();
  });
});

describe("work that is counted", () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
  const empty = Array.from({ length: 100_000 }, () => ({}));
  const items = (node: SchemaNode): SchemaNode => [{ kind: "items", from: 0, node }];
  const wide = Object.fromEntries(names(50_000).map((name) => [name, 1]));

  const cases: readonly (readonly [string, SchemaNode, Json])[] = [
    [
      "dependentRequired",
      items([{ kind: "dependent_required", entries: names(500).map((name) => ({ name, names: ["z"] })) }]),
      empty,
    ],
    [
      "dependentSchemas",
      items([{ kind: "dependent_schemas", entries: names(500).map((name) => ({ name, node: TEXT })) }]),
      empty,
    ],
    [
      "patternProperties of objects without properties",
      items([
        { kind: "pattern_properties", entries: names(500).map((name) => ({ pattern: native(name), node: TEXT })) },
      ]),
      empty,
    ],
    ["alternatives that are false", items([{ kind: "any_of", nodes: [...names(500).map(() => false), true] }]), empty],
    ["an enum of objects", [{ kind: "enum", values: names(300).map((a) => ({ a })) }], wide],
    [
      "alternatives of constant objects",
      [{ kind: "any_of", nodes: names(300).map((a): SchemaNode => [{ kind: "const", value: { a } }]) }],
      wide,
    ],
    ["uniqueItems of numbers", [{ kind: "unique_items" }], Array.from({ length: 500_000 }, (_, n) => n + 0.5)],
    [
      "uniqueItems of long texts",
      [{ kind: "unique_items" }],
      Array.from({ length: 3 }, (_, n) => `${n}${"\n".repeat(5_000_000)}`),
    ],
  ];

  it.each(cases)("%s", (_, node, value) => {
    const judged = withinBudget<unknown>(
      () => check(node, value),
      () => "exceeded",
    );
    expect(judged).toBe("exceeded");
  });

  it("builds no text longer than a refusal shows", () => {
    const texts = names(300).map((): SchemaNode => [{ kind: "const", value: "x".repeat(4000) }]);
    const node: SchemaNode = [
      { kind: "any_of", nodes: names(300).map((): SchemaNode => [{ kind: "any_of", nodes: texts }]) },
    ];
    expect(check(node, 1)?.required.length).toBeLessThan(2100);
  });
});
