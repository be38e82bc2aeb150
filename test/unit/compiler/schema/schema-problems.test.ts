import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../../src/base/json.js";
import type { SchemaProblem } from "../../../../src/compiler/schema/schema-problem.js";
import { checkSchema } from "../../../../src/guard/program/schema-check.js";
import { fc } from "../../../support/fast-check.js";
import { seedOf } from "../../../support/seed.js";
import { lower, underlined } from "./located-json.js";
import { anyValue, rootSchema } from "./schema-arbitrary.js";

function problemsOf(schema: JsonObject): readonly SchemaProblem[] {
  return lower(schema).problems;
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
}

describe("bad_schema", () => {
  it.each<[JsonObject, string]>([
    [{ type: "strnig" }, '"strnig"'],
    [{ type: [] }, "[]"],
    [{ type: ["string", "string"] }, '["string","string"]'],
    [{ enum: [] }, "[]"],
    [{ enum: "a" }, '"a"'],
    [{ minimum: "1" }, '"1"'],
    [{ exclusiveMinimum: true }, "true"],
    [{ exclusiveMaximum: false }, "false"],
    [{ multipleOf: 0 }, "0"],
    [{ multipleOf: -1 }, "-1"],
    [{ minLength: -1 }, "-1"],
    [{ maxLength: 1.5 }, "1.5"],
    [{ pattern: 5 }, "5"],
    [{ required: true }, "true"],
    [{ required: ["a", "a"] }, '["a","a"]'],
    [{ required: [1] }, "[1]"],
    [{ properties: [] }, "[]"],
    [{ properties: { a: "string" } }, '"string"'],
    [{ properties: { a: null } }, "null"],
    [{ patternProperties: { a: 1 } }, "1"],
    [{ additionalProperties: "no" }, '"no"'],
    [{ propertyNames: [] }, "[]"],
    [{ minProperties: "1" }, '"1"'],
    [{ dependentRequired: { a: "b" } }, '"b"'],
    [{ dependentSchemas: { a: ["b"] } }, '["b"]'],
    [{ dependencies: { a: [1] } }, "[1]"],
    [{ dependencies: { a: "b" } }, '"b"'],
    [{ items: 1 }, "1"],
    [{ items: [] }, "[]"],
    [{ items: [1] }, "1"],
    [{ items: [true], prefixItems: [true] }, '"items"'],
    [{ prefixItems: {} }, "{}"],
    [{ contains: 1 }, "1"],
    [{ contains: true, minContains: -1 }, "-1"],
    [{ uniqueItems: 1 }, "1"],
    [{ allOf: [] }, "[]"],
    [{ anyOf: {} }, "{}"],
    [{ oneOf: [1] }, "1"],
    [{ not: "a" }, '"a"'],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    [{ if: 1, then: true }, "1"],
    [{ $defs: { a: 1 } }, "1"],
    [{ definitions: [] }, "[]"],
    [{ $id: 1 }, "1"],
    [{ $ref: 1 }, "1"],
    [{ $ref: "#/$defs/missing" }, '"#/$defs/missing"'],
    [{ $ref: "#/constructor" }, '"#/constructor"'],
    [{ $ref: "#/title", title: "a" }, '"#/title"'],
    [{ $ref: "#/%", "%": {}, "x-a": 1 }, '"#/%"'],
  ])("is reported for %j", (schema, text) => {
    const found = problemsOf(schema).filter(({ kind }) => kind === "bad_schema");
    expect(found.map(({ span }) => underlined(span))).toEqual([text]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["itself", { properties: { a: { $ref: "#/properties/a" } } }, ['"#/properties/a"']],
    ["the root that holds it in anyOf", { anyOf: [{ $ref: "#" }] }, ['"#"']],
    [
      "itself by way of another",
      { $ref: "#/$defs/a", $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { $ref: "#/$defs/a" } } },
      ['"#/$defs/a"'],
    ],
  ])("is reported for a ref that leads to %s on the same value", (_, schema, texts) => {
    expect(problemsOf(schema).map(({ kind, span }) => [kind, underlined(span)])).toEqual(
      texts.map((text) => ["bad_schema", text]),
    );
  });

  it("is reported for schemas nested beyond the limit, and not at it", () => {
    expect(problemsOf(nested(100))).toEqual([]);
    expect(problemsOf(nested(101)).map(({ kind }) => kind)).toEqual(["bad_schema"]);
  });

  it("is reported in definitions that nothing uses", () => {
    expect(problemsOf({ $defs: { a: { minLength: -1 } } })).toMatchObject([{ kind: "bad_schema" }]);
  });

  it("is reported for numbers that the artifact could not hold", () => {
    expect(problemsOf({ const: { a: [Number.POSITIVE_INFINITY] } })).toMatchObject([{ kind: "bad_schema" }]);
    expect(problemsOf({ minimum: Number.POSITIVE_INFINITY })).toMatchObject([{ kind: "bad_schema" }]);
  });

  it("is not reported for a count beyond the safe integers", () => {
    expect(problemsOf({ maxLength: 2 ** 63, maxItems: 1e300 })).toEqual([]);
  });

  it("makes a check that refuses every value", () => {
    expect(checkSchema(lower({ minLength: -1 }).check, "abc")).not.toBeNull();
  });

  it("is reported wherever the metaschema of ajv finds something malformed", () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    const seen = { malformed: 0 };
    fc.assert(
      fc.property(rootSchema({ refs: 1, mixed: true }), fc.nat(), anyValue, (schema, choice, value) => {
        const changed = replaceOne(schema, choice, value);
        if (ajv.validateSchema(changed) === true) return;
        seen.malformed++;
        // Only draft 07 has lists in `items`.
        if (JSON.stringify(changed).includes('"items":[')) return;
        expect(problemsOf(changed).map(({ kind }) => kind)).toContain("bad_schema");
      }),
      { numRuns: 1500, seed: seedOf("SCHEMA_SEED", 7) },
    );
    expect(seen.malformed).toBeGreaterThan(200);
  });
});

/** Puts another value under one keyword somewhere in a schema. */
function replaceOne(schema: JsonObject, choice: number, value: Json): JsonObject {
  let left = choice % countKeys(schema);
  const walk = (part: Json): Json => {
    if (Array.isArray(part)) return part.map(walk);
    if (!isJsonObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, left-- === 0 ? value : walk(child)]));
  };
  const changed = walk(schema);
  return isJsonObject(changed) ? changed : schema;
}

function countKeys(part: Json): number {
  if (typeof part !== "object" || part === null) return 0;
  const own = isJsonObject(part) ? Object.keys(part).length : 0;
  return Object.values(part).reduce<number>((sum, child) => sum + countKeys(child), own);
}

describe("unsupported_schema_keyword", () => {
  it.each<[JsonObject, string, string]>([
    [{ unevaluatedProperties: false }, "unevaluatedProperties", '"unevaluatedProperties"'],
    [{ properties: { a: { unevaluatedItems: false } } }, "unevaluatedItems", '"unevaluatedItems"'],
    [{ $dynamicRef: "#a" }, "$dynamicRef", '"$dynamicRef"'],
    [{ $recursiveRef: "#" }, "$recursiveRef", '"$recursiveRef"'],
    [{ $ref: "#name", $anchor: "name" }, "$ref", '"#name"'],
    [{ $ref: "https://example.com/a.json" }, "$ref", '"https://example.com/a.json"'],
    [{ $ref: "other.json#/$defs/a" }, "$ref", '"other.json#/$defs/a"'],
  ])("is reported for %j", (schema, keyword, text) => {
    const found = problemsOf(schema);
    expect(found).toMatchObject([{ kind: "unsupported_schema_keyword", keyword }]);
    expect(found.map(({ span }) => underlined(span))).toEqual([text]);
  });
});

describe("unsupported_schema_pattern", () => {
  it.each<[string, JsonObject, string | null]>([
    ["a property", { properties: { a: { pattern: "(a)\\1" } } }, "$.a"],
    ["items", { properties: { a: { items: { pattern: "(a)\\1" } } } }, "$.a[*]"],
    ["an alternative", { anyOf: [{ properties: { a: { pattern: "(a)\\1" } } }] }, null],
    ["additional properties", { additionalProperties: { pattern: "(a)\\1" } }, null],
    ["names", { patternProperties: { "(a)\\1": {} } }, null],
  ])("names the path to exclude, if there is one, in %s", (_, schema, path) => {
    const found = problemsOf(schema);
    expect(found).toMatchObject([{ kind: "unsupported_schema_pattern", path, pattern: "(a)\\1" }]);
    expect(found.map(({ span }) => underlined(span))).toEqual(['"(a)\\\\1"']);
  });

  it("is reported for each path of a shared definition, and once for all conditional uses", () => {
    const use = { $ref: "#/$defs/x" };
    const schema = {
      properties: { a: use, b: use, c: { anyOf: [use, { not: use }] } },
      $defs: { x: { pattern: "(?=a)" } },
    };
    expect(problemsOf(schema).map((problem) => "path" in problem && problem.path)).toEqual(["$.a", "$.b", null]);
  });

  it("leaves the rest of the schema in force, so that excluding the path fixes it", () => {
    const { check, derived } = lower({ properties: { a: { type: "string", minLength: 2, pattern: "(a)\\1" } } });
    expect(derived.map(({ keyword }) => keyword)).toEqual(["minLength"]);
    expect(checkSchema(check, { a: "zz" })).toBeNull();
    expect(checkSchema(check, { a: 1 })).toMatchObject({ keyword: "type" });
  });
});

describe("unenforced_schema_keyword", () => {
  it.each<[JsonObject, string, string | undefined]>([
    [{ format: "email" }, "format", undefined],
    [{ contentEncoding: "base64" }, "contentEncoding", undefined],
    [{ contentMediaType: "text/html" }, "contentMediaType", undefined],
    [{ contentSchema: {} }, "contentSchema", undefined],
    [{ nullable: true }, "nullable", undefined],
    [{ minlength: 3 }, "minlength", "minLength"],
    [{ maxLenght: 3 }, "maxLenght", "maxLength"],
    [{ additionalPropertes: false }, "additionalPropertes", "additionalProperties"],
    [{ zzzzzz: 1 }, "zzzzzz", undefined],
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    [{ then: true }, "then", undefined],
    [{ else: true }, "else", undefined],
    [{ if: true }, "if", undefined],
    [{ minContains: 1 }, "minContains", undefined],
    [{ maxContains: 1 }, "maxContains", undefined],
    [{ items: {}, additionalItems: false }, "additionalItems", undefined],
    [{ $defs: { a: { format: "date" } } }, "format", undefined],
  ])("is reported for %j", (schema, keyword, suggestion) => {
    const found = problemsOf(schema);
    expect(found.map((problem) => [problem.kind, underlined(problem.span)])).toEqual([
      ["unenforced_schema_keyword", JSON.stringify(keyword)],
    ]);
    expect(found[0]).toMatchObject(suggestion === undefined ? { keyword } : { keyword, suggestion });
    expect(found[0] !== undefined && "suggestion" in found[0]).toBe(suggestion !== undefined);
  });

  it("is not reported for annotations, extensions, or properties of such names", () => {
    const annotations = { title: "a", description: "a", default: 1, examples: [1], deprecated: true, readOnly: true };
    const more = { writeOnly: true, $comment: "a", $schema: "https://json-schema.org/draft/2020-12/schema", $id: "a" };
    const schema = {
      ...annotations,
      ...more,
      "x-a": 1,
      x_a: 1,
      properties: { format: {}, foo: {} },
      $defs: { bar: {} },
    };
    expect(problemsOf(schema)).toEqual([]);
  });
});
