import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { compiledSchema } from "../../../../src/artifact/compiled-schema.js";
import { isJsonObject, type Json, type JsonObject } from "../../../../src/base/json.js";
import { jsonPath, type Segment, type Selector } from "../../../../src/base/json-path.js";
import type { LoweredSchema } from "../../../../src/compiler/schema/lower-schema.js";
import { checkSchema } from "../../../../src/guard/program/schema-check.js";
import { fc } from "../../../support/fast-check.js";
import { seedOf } from "../../../support/seed.js";
import { sizeOf } from "../../../support/size.js";
import { holds } from "./derived-judge.js";
import { lower } from "./located-json.js";
import { anyValue, rootSchema } from "./schema-arbitrary.js";
import { randomFrom, valueFor } from "./value-for.js";

// A long run: SCHEMA_RUNS=40000 SCHEMA_SEED=$RANDOM npx vitest run --config .ci/vitest.config.ts differential
const RUNS = sizeOf("SCHEMA_RUNS", { share: 60, full: 500 });
const SEED = seedOf("SCHEMA_SEED", 7);
const VALUES_PER_SCHEMA = 12;
const DERIVABLE = new Set(
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern enum minLength maxLength const".split(" "),
);

/**
 * The same schema in a form that ajv 8.20 judges correctly. It accepts [] where `contains` and `prefixItems` are side
 * by side, and [["a"], []] for { items: { contains: { type: "string" } } } unless there is a `maxContains`.
 */
function apart(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(apart);
  if (!isJsonObject(schema)) return schema;
  const copy: JsonObject = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, apart(value)]));
  if (!Object.hasOwn(copy, "contains")) return copy;
  const bounded = { maxContains: 1000, ...copy };
  if (!Object.hasOwn(copy, "prefixItems")) return bounded;
  const { prefixItems = [], items = true, allOf = [], ...rest }: JsonObject = bounded;
  return { ...rest, allOf: [{ prefixItems, items }, ...(Array.isArray(allOf) ? allOf : [])] };
}

function reference(schema: JsonObject): (value: Json) => boolean {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false });
  // With it, ajv 8.20 throws on { anyOf: [{ additionalProperties: {} }], patternProperties: { a: {} } } and { a: 1 }.
  ajv.opts.unevaluated = false;
  const separate = apart(schema);
  return ajv.compile<Json>(isJsonObject(separate) ? separate : {});
}

function accepts({ check, derived }: LoweredSchema, value: Json): boolean {
  return checkSchema(check, value) === null && derived.every(({ invariant }) => holds(invariant, value));
}

function sampleValues(schema: JsonObject, seed: number): readonly Json[] {
  const random = randomFrom(seed);
  return Array.from({ length: VALUES_PER_SCHEMA }, () => valueFor(schema, schema, random));
}

function withoutErrors(schema: JsonObject): LoweredSchema {
  const lowered = lower(schema);
  expect(lowered.problems.filter(({ kind }) => kind !== "unenforced_schema_keyword")).toEqual([]);
  return lowered;
}

/** The schema without the derivable keywords of chosen places; for schemas without refs. */
function strip(schema: Json, chosen: (path: string) => boolean, segments: readonly Segment[] = []): Json {
  if (!isJsonObject(schema)) return schema;
  const at = (selector: Selector, child: Json): Json =>
    strip(child, chosen, [...segments, { descend: false, selectors: [selector] }]);
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
  const rest: Selector = prefix === 0 ? { kind: "wildcard" } : { kind: "slice", start: prefix, end: null, step: 1 };
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (DERIVABLE.has(key)) return chosen(jsonPath(segments).text) ? [] : [[key, value]];
    if (key === "properties" && isJsonObject(value)) {
      return [
        [
          key,
          Object.fromEntries(Object.entries(value).map(([name, child]) => [name, at({ kind: "name", name }, child)])),
        ],
      ];
    }
    if (key === "items") return [[key, at(rest, value)]];
    if (key === "prefixItems" && Array.isArray(value)) {
      return [[key, value.map((child, index) => at({ kind: "index", index }, child))]];
    }
    if (key === "allOf" && Array.isArray(value)) return [[key, value.map((part) => strip(part, chosen, segments))]];
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}

describe("a lowered schema against ajv", () => {
  it("accepts exactly what ajv accepts, taken both halves together", () => {
    const seen = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(
        rootSchema({ refs: 3, mixed: true }),
        fc.integer(),
        fc.array(anyValue, { maxLength: 3 }),
        (schema, seed, more) => {
          const lowered = withoutErrors(schema);
          const isValid = reference(schema);
          for (const value of [...sampleValues(schema, seed), ...more]) {
            const expected = isValid(value);
            seen[expected ? "valid" : "invalid"]++;
            expect({ value, accepted: accepts(lowered, value) }).toEqual({ value, accepted: expected });
          }
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    // Otherwise the comparison would say little.
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(RUNS);
  }, 600_000);

  it("accepts the same after a way through the artifact", () => {
    fc.assert(
      fc.property(rootSchema({ refs: 2, mixed: true }), (schema) => {
        const { check } = withoutErrors(schema);
        expect(compiledSchema(JSON.parse(JSON.stringify(check)), "$")).toEqual(check);
      }),
      { numRuns: 200, seed: SEED },
    );
  });

  it("keeps nothing of the derivable keywords in the check", () => {
    fc.assert(
      fc.property(rootSchema({ refs: 0, mixed: false }), fc.integer(), (schema, seed) => {
        const { check } = withoutErrors(schema);
        const stripped = strip(schema, () => true);
        const expected = reference(isJsonObject(stripped) ? stripped : {});
        for (const value of sampleValues(schema, seed))
          expect(checkSchema(check, value) === null).toBe(expected(value));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  }, 600_000);

  it("does not block because of the keywords at a path that is switched off", () => {
    fc.assert(
      fc.property(rootSchema({ refs: 0, mixed: false }), fc.integer(), fc.nat(), (schema, seed, choice) => {
        const lowered = withoutErrors(schema);
        const off = lowered.derived[choice % Math.max(1, lowered.derived.length)]?.path;
        const stripped = strip(schema, (path) => path === off);
        const isValid = reference(isJsonObject(stripped) ? stripped : {});
        const rest = { ...lowered, derived: lowered.derived.filter(({ path }) => path !== off) };
        for (const value of sampleValues(schema, seed)) expect(accepts(rest, value)).toBe(isValid(value));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  }, 600_000);
});
