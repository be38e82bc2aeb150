import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/base/json.js";
import { type JsonSchema, SCHEMA_KEYWORDS } from "../../../src/base/json-schema.js";
import { type SchemaError, schemaErrors } from "../../../src/base/schema-errors.js";
import { claimsContract } from "../../../src/language/schema/claims.js";
import { sessionContract } from "../../../src/language/schema/session.js";
import { toolContract } from "../../../src/language/schema/tool.js";
import { workflowContract } from "../../../src/language/schema/workflow.js";
import { AGENT_RESPONSE_SCHEMA } from "../../../src/pipelines/response/agent-response-schema.js";
import { fc } from "../../support/fast-check.js";

const SCHEMAS: readonly (readonly [name: string, schema: JsonSchema])[] = [
  ["a tool contract", toolContract],
  ["a session contract", sessionContract],
  ["a workflow", workflowContract],
  ["claims", claimsContract],
  ["a message of a reply", AGENT_RESPONSE_SCHEMA.$defs.Message],
  ["metadata of a reply", AGENT_RESPONSE_SCHEMA.properties.metadata],
];

function subschemas(schema: JsonSchema): readonly JsonSchema[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const additional = typeof additionalProperties === "object" ? [additionalProperties] : [];
  const inner = [
    ...Object.values(properties),
    ...(items === undefined ? [] : [items]),
    ...additional,
    ...anyOf,
    ...oneOf,
  ];
  return [schema, ...inner.flatMap(subschemas)];
}

/** One that the values below meet in about half of all cases. */
const hasFormat = (text: string) => text.length % 2 === 0;

function reference(schema: JsonSchema, isFirstOnly: boolean): (value: Json) => readonly ErrorObject[] {
  const ajv = new Ajv2020({ allErrors: !isFirstOnly, verbose: true, strict: false });
  for (const { format } of subschemas(schema)) if (format !== undefined) ajv.addFormat(format, hasFormat);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

const odd = fc.oneof(
  fc.constantFrom<Json>(null, true, "", "x", "xy", 0, -1, 1.5, 29, 1e300, [], {}, "always", "block", [[]], {
    path: "$",
  }),
  fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value))),
);
const extraKeys = fc.dictionary(fc.constantFrom("toll", "a/b", "c~d", "0", "path", "constructor"), odd, { maxKeys: 1 });

/** Mostly what a schema asks for, now and then something else. */
function near(schema: JsonSchema): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 24, arbitrary: meant(schema) }, { weight: 1, arbitrary: odd });
}

function meant(schema: JsonSchema): fc.Arbitrary<Json> {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return fc.oneof(...branches.map(near));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, "other");
  if (schema.const !== undefined) return fc.constantFrom(schema.const, "other");
  switch (schema.type) {
    case "object":
      return objects(schema);
    case "array":
      return fc.array(near(schema.items ?? {}), { maxLength: 2 });
    case "string":
      return fc.constantFrom("xy", "xyz", "");
    case "integer":
    case "number":
      return fc.constantFrom<Json>(0, 1, 30, 100, 404, 0.5, -2);
    case "boolean":
      return fc.boolean();
    default:
      return odd;
  }
}

function objects({ properties = {}, required = [], additionalProperties }: JsonSchema): fc.Arbitrary<Json> {
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, near(property)])),
    { requiredKeys: [] },
  );
  const needed = fc.record(Object.fromEntries(required.map((key) => [key, near(properties[key] ?? {})])), {
    requiredKeys: [],
  });
  const others =
    typeof additionalProperties === "object"
      ? fc.dictionary(fc.constantFrom("a/b", "c~d"), near(additionalProperties), { maxKeys: 2 })
      : extraKeys;
  return fc.tuple(fc.constantFrom(0, 1, 2, 3), named, needed, others).map(([which, some, all, more]) => ({
    ...(which % 2 === 0 ? some : {}),
    ...all,
    ...(which === 3 ? more : {}),
  }));
}

function plain({ keyword, instancePath, schemaPath, value, schema, property }: SchemaError) {
  return { keyword, instancePath, schemaPath, value, schema, property };
}

function plainReference({ keyword, instancePath, schemaPath, data, parentSchema, params }: ErrorObject) {
  const property: unknown = params.missingProperty ?? params.additionalProperty;
  return { keyword, instancePath, schemaPath, value: data, schema: parentSchema, property };
}

describe.each(SCHEMAS)("the errors of %s", (_, schema) => {
  it("cover every keyword of the schema", () => {
    const known = new Set<string>([...SCHEMA_KEYWORDS, "title", "description"]);
    const unknown = subschemas(schema).flatMap((each) => Object.keys(each).filter((key) => !known.has(key)));
    expect(unknown).toEqual([]);
  });

  it.each([
    ["all of them", false],
    ["only the first", true],
  ])("are those that ajv finds, in its order: %s", (__, isFirstOnly) => {
    const expected = reference(schema, isFirstOnly);
    const seen = new Set<string>();
    fc.assert(
      fc.property(near(schema), (value) => {
        const errors = schemaErrors(schema, value, { isFirstOnly, hasFormat });
        for (const { keyword } of errors) seen.add(keyword);
        expect(errors.map(plain)).toEqual(expected(value).map(plainReference));
      }),
      { numRuns: 400 },
    );
    const used = subschemas(schema).flatMap((each) => Object.keys(each));
    const failing = [
      "type",
      "required",
      "enum",
      "const",
      "format",
      "minItems",
      "minLength",
      "minimum",
      "anyOf",
      "oneOf",
    ];
    if (!isFirstOnly) expect(failing.filter((keyword) => used.includes(keyword) && !seen.has(keyword))).toEqual([]);
  });
});
