import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { checkSchema } from "../../../../src/guard/program/schema-check.js";
import { holds } from "./derived-judge.js";
import { lower } from "./located-json.js";

type Row = readonly [path: string, op: string, optional: boolean, passes: readonly string[]];

function derivedRows(schema: JsonObject): readonly Row[] {
  const { derived, problems } = lower(schema);
  expect(problems).toEqual([]);
  return derived.map(({ path, invariant }) => [path, invariant.operator.op, invariant.optional, invariant.passes]);
}

function accepts(schema: JsonObject, value: Json): boolean {
  const { check, derived, problems } = lower(schema);
  expect(problems).toEqual([]);
  return checkSchema(check, value) === null && derived.every(({ invariant }) => holds(invariant, value));
}

const AMOUNT = { type: "number", minimum: 1 };

describe("derived invariants", () => {
  it.each<[string, JsonObject, readonly Row[]]>([
    ["a property", { properties: { a: AMOUNT } }, [["$.a", "gte", true, []]]],
    ["a required property", { properties: { a: AMOUNT }, required: ["a"] }, [["$.a", "gte", false, []]]],
    [
      "a required property of a required object",
      { properties: { a: { properties: { b: AMOUNT }, required: ["b"] } }, required: ["a"] },
      [["$.a.b", "gte", false, []]],
    ],
    [
      "a required property of an optional object",
      { properties: { a: { properties: { b: AMOUNT }, required: ["b"] } } },
      [["$.a.b", "gte", true, []]],
    ],
    [
      "a required property of an object that may be null instead",
      { properties: { a: { type: ["object", "null"], properties: { b: AMOUNT }, required: ["b"] } }, required: ["a"] },
      [["$.a.b", "gte", true, []]],
    ],
    [
      "items",
      { properties: { a: { type: "array", items: { properties: { q: AMOUNT }, required: ["q"] } } }, required: ["a"] },
      [["$.a[*].q", "gte", true, []]],
    ],
    [
      "prefixItems and the items after them",
      { properties: { a: { type: "array", prefixItems: [AMOUNT, {}], items: { type: "string", maxLength: 3 } } } },
      [
        ["$.a[0]", "gte", true, []],
        ["$.a[2:]", "length_lte", true, []],
      ],
    ],
    [
      "the list in items of draft 07",
      { properties: { a: { items: [AMOUNT], additionalItems: { const: 1 } } } },
      [
        ["$.a[0]", "gte", true, []],
        ["$.a[1:]", "equals", true, []],
      ],
    ],
    ["the root", { enum: [{}] }, [["$", "one_of", false, []]]],
    ["a name that needs quotes", { properties: { "a-b": AMOUNT } }, [["$['a-b']", "gte", true, []]]],
    [
      "allOf, merged with its siblings",
      {
        allOf: [{ properties: { a: { type: ["number", "null"] } } }, { properties: { a: { minimum: 1 } } }],
        required: ["a"],
      },
      [["$.a", "gte", false, ["null"]]],
    ],
    [
      "a local ref with siblings",
      { properties: { a: { $ref: "#/$defs/x", maximum: 5 } }, $defs: { x: AMOUNT } },
      [
        ["$.a", "lte", true, []],
        ["$.a", "gte", true, []],
      ],
    ],
  ])("are taken from %s", (_, schema, rows) => {
    expect(derivedRows(schema)).toEqual(rows);
  });

  it.each<[JsonObject, string, readonly string[]]>([
    [{ minimum: 1 }, "gte", []],
    [{ type: "number", minimum: 1 }, "gte", []],
    [{ type: ["integer", "null"], minimum: 1 }, "gte", ["null"]],
    [{ type: ["number", "string"], maximum: 1 }, "lte", ["string"]],
    [{ type: ["number", "null"], exclusiveMinimum: 1 }, "gt", ["null"]],
    [{ type: ["number", "null"], exclusiveMaximum: 1 }, "lt", ["null"]],
    [{ type: ["number", "boolean"], multipleOf: 2 }, "multiple_of", ["boolean"]],
    [{ type: ["string", "integer"], pattern: "a" }, "regex", ["number"]],
    [{ type: ["string", "array"], minLength: 1 }, "length_gte", ["array"]],
    [{ type: ["string", "null"], maxLength: 1 }, "length_lte", ["null"]],
    [{ type: ["string", "null"], enum: ["a"] }, "one_of", []],
    [{ type: ["string", "null"], const: null }, "equals", []],
  ])("of %j are %s and pass %j", (schema, op, passes) => {
    expect(derivedRows({ properties: { a: schema } })).toEqual([["$.a", op, true, passes]]);
  });

  it.each<[string, JsonObject]>([
    ["anyOf", { anyOf: [{ properties: { a: AMOUNT } }] }],
    ["oneOf", { oneOf: [{ properties: { a: AMOUNT } }] }],
    ["not", { not: { properties: { a: { not: AMOUNT } }, required: ["a"] } }],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    ["then", { if: true, then: { properties: { a: AMOUNT } } }],
    ["else", { if: false, else: { properties: { a: AMOUNT } } }],
    ["additionalProperties", { additionalProperties: AMOUNT }],
    ["patternProperties", { patternProperties: { "^a$": AMOUNT } }],
    ["dependentSchemas", { dependentSchemas: { a: { properties: { a: AMOUNT } } } }],
    ["dependencies of draft 07", { dependencies: { a: { properties: { a: AMOUNT } } } }],
  ])("are not taken from %s, whose keywords stay in the check", (_, schema) => {
    const { check, derived } = lower(schema);
    expect(derived).toEqual([]);
    expect(checkSchema(check, { a: 0 })).not.toBeNull();
    expect(checkSchema(check, { a: 1 })).toBeNull();
  });

  it("are not taken from contains and propertyNames", () => {
    const schema = { properties: { a: { contains: { minimum: 1 } } }, propertyNames: { maxLength: 2 } };
    const { check, derived } = lower(schema);
    expect(derived).toEqual([]);
    expect(checkSchema(check, { a: [0] })?.keyword).toBe("contains");
    expect(checkSchema(check, { abc: [1] })?.keyword).toBe("propertyNames");
    expect(checkSchema(check, { a: [0, 1] })).toBeNull();
  });

  it("are not taken from items where the value may be an object, whose members [*] would pick", () => {
    const schema = { type: ["array", "object"], items: { type: "number", minimum: 1 } };
    const { check, derived } = lower(schema);
    expect(derived).toEqual([]);
    expect(checkSchema(check, { x: 0 })).toBeNull();
    expect(checkSchema(check, [0])?.path).toBe("$[0]");
  });

  it("point at their keyword", () => {
    const { derived } = lower({ properties: { a: AMOUNT } });
    expect(derived.map(({ keyword, span }) => [keyword, span.source.text.slice(span.start, span.end)])).toEqual([
      ["minimum", '"minimum"'],
    ]);
    expect(derived[0]?.invariant.at).toEqual({ file: "tools.json", line: 1 });
  });
});

describe("recursive schemas", () => {
  const tree = {
    $ref: "#/$defs/tree",
    $defs: {
      tree: {
        type: "object",
        properties: { value: AMOUNT, children: { type: "array", items: { $ref: "#/$defs/tree" } } },
        required: ["value"],
      },
    },
  };

  it("derive the first level and keep the keywords of the deeper ones in the check", () => {
    const { check, derived, problems } = lower(tree);
    expect(problems).toEqual([]);
    expect(derived.map(({ path }) => path)).toEqual(["$.value"]);
    const value = { value: 1, children: [{ value: 2, children: [{ value: 0 }] }] };
    expect(checkSchema(check, value)).toMatchObject({ path: "$.children[0].children[0].value", keyword: "minimum" });
    expect(checkSchema(check, { value: 1, children: [{ value: 2 }, { value: 3, children: [] }] })).toBeNull();
    expect(checkSchema(check, { value: 1, children: [{}] })).toMatchObject({ keyword: "required" });
  });

  it("may refer to the root as a whole", () => {
    const schema = { type: "object", properties: { n: AMOUNT, next: { $ref: "#" } }, additionalProperties: false };
    expect(accepts(schema, { n: 1, next: { n: 1, next: { n: 1 } } })).toBe(true);
    expect(accepts(schema, { n: 1, next: { n: 1, next: { n: 0 } } })).toBe(false);
    expect(accepts(schema, { n: 1, next: { other: 1 } })).toBe(false);
  });

  it("end at values beyond the depth limit with a failure", () => {
    let value: JsonObject = { value: 1 };
    for (let depth = 0; depth < 5000; depth++) value = { value: 1, children: [value] };
    expect(checkSchema(lower(tree).check, value)).toMatchObject({ path: "$", keyword: "limits" });
  });
});

describe("refs that fan out", () => {
  function fan(levels: number, combine: (ref: JsonObject) => JsonObject): JsonObject {
    const defs = Array.from({ length: levels }, (_, index): [string, JsonObject] => [
      `d${index}`,
      index === levels - 1 ? { type: "number", minimum: 1 } : combine({ $ref: `#/$defs/d${index + 1}` }),
    ]);
    return { properties: { a: { $ref: "#/$defs/d0" } }, $defs: Object.fromEntries(defs) };
  }

  it("are expanded within a budget, and lose no keyword beyond it", () => {
    const schema = fan(20, (ref) => ({ type: "object", properties: { l: ref, r: ref } }));
    const { check, derived } = lower(schema);
    expect(derived.length).toBeGreaterThan(10);
    expect(derived.length).toBeLessThan(5000);
    expect(JSON.stringify(check).length).toBeLessThan(1_000_000);
    const nest = (turn: (level: number) => string, leaf: number): JsonObject => {
      let value: Json = leaf;
      for (let level = 19; level > 0; level--) value = { [turn(level)]: value };
      return { a: value };
    };
    for (const turn of [() => "l", () => "r", (level: number) => (level % 2 === 0 ? "l" : "r")]) {
      expect(accepts(schema, nest(turn, 1))).toBe(true);
      expect(accepts(schema, nest(turn, 0))).toBe(false);
    }
  });

  it("count once where they meet at one place", () => {
    const schema = fan(60, (ref) => ({ allOf: [ref, ref] }));
    expect(derivedRows(schema)).toEqual([["$.a", "gte", true, []]]);
  });

  it("do not stall the check", () => {
    const { check } = lower(fan(60, (ref) => ({ anyOf: [ref, ref] })));
    expect(checkSchema(check, { a: 1 })).toBeNull();
    expect(checkSchema(check, { a: 0 })).toMatchObject({ keyword: "limits" });
  });
});

describe("refs", () => {
  it.each<[string, JsonObject]>([
    ["#/definitions/x", { definitions: { x: AMOUNT } }],
    ["#/properties/b", { properties: { b: AMOUNT } }],
    ["#/$defs/a~1b", { $defs: { "a/b": AMOUNT } }],
    ["#/$defs/a~0b", { $defs: { "a~b": AMOUNT } }],
    ["#/$defs/a%20b", { $defs: { "a b": AMOUNT } }],
    ["#/$defs/x/allOf/0", { $defs: { x: { allOf: [AMOUNT] } } }],
    ["#/$defs/__proto__", { $defs: JSON.parse('{"__proto__":{"type":"number","minimum":1}}') }],
  ])("%s is followed", (ref, rest) => {
    const schema = { ...rest, properties: { ...Object(rest.properties), a: { $ref: ref } } };
    expect(accepts(schema, { a: 1 })).toBe(true);
    expect(accepts(schema, { a: 0 })).toBe(false);
  });

  it("start at the nearest $id", () => {
    const inner = { $id: "https://example.com/inner", $ref: "#/$defs/x", $defs: { x: { minimum: 5 } } };
    const schema = { properties: { a: inner }, $defs: { x: { minimum: 1 } } };
    expect(derivedRows(schema)).toHaveLength(1);
    expect(accepts(schema, { a: 4 })).toBe(false);
  });

  it("may lead to true or false", () => {
    const schema = {
      properties: { a: { $ref: "#/$defs/no" }, b: { $ref: "#/$defs/yes" } },
      $defs: { no: false, yes: true },
    };
    expect(accepts(schema, { b: 1 })).toBe(true);
    expect(accepts(schema, { a: 1 })).toBe(false);
  });
});

describe("names that objects inherit", () => {
  it("are properties like any other", () => {
    const schema: JsonObject = JSON.parse(
      '{"properties":{"__proto__":{"type":"number","minimum":1},"constructor":{"type":"string"}},"required":["__proto__"],"additionalProperties":false}',
    );
    expect(derivedRows(schema)).toEqual([["$.__proto__", "gte", false, []]]);
    expect(accepts(schema, {})).toBe(false);
    expect(accepts(schema, JSON.parse('{"__proto__":1}'))).toBe(true);
    expect(accepts(schema, JSON.parse('{"__proto__":0}'))).toBe(false);
    expect(accepts(schema, JSON.parse('{"__proto__":1,"constructor":"x"}'))).toBe(true);
    expect(accepts(schema, JSON.parse('{"__proto__":1,"constructor":1}'))).toBe(false);
    expect(accepts(schema, JSON.parse('{"__proto__":1,"toString":1}'))).toBe(false);
  });
});

describe("boolean schemas", () => {
  it("accept everything or nothing", () => {
    expect(checkSchema(lower(true).check, { a: 1 })).toBeNull();
    expect(checkSchema(lower(false).check, {})).toMatchObject({ path: "$" });
    expect(accepts({ properties: { a: false } }, { a: 1 })).toBe(false);
    expect(accepts({ properties: { a: false } }, {})).toBe(true);
  });
});
