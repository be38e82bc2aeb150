import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { checkSchema } from "../../../../src/guard/program/schema-check.js";
import { holds } from "./derived-judge.js";
import { lower } from "./located-json.js";

const NUMBER = { type: "number", minimum: 1 };
const TEXT = { type: "string", minLength: 2 };

const LISTS: readonly Json[] = [
  [],
  [1],
  [0],
  [1, "ab"],
  [1, "a"],
  ["ab", 1],
  [1, "ab", 5],
  [1, "ab", "abc"],
  [1, "ab", "abc", 0],
  "no list",
  { a: 1 },
];
const OBJECTS: readonly Json[] = [
  {},
  { a: 1 },
  { b: 1 },
  { a: 1, b: 1 },
  { a: 0, b: 1 },
  { a: 1, c: "x" },
  { a: 1, b: 1, c: 2 },
];

describe("a schema of draft 07", () => {
  it.each<[string, JsonObject, readonly Json[]]>([
    ["a list in items", { type: "array", items: [NUMBER, TEXT] }, LISTS],
    ["a list in items and no more", { type: "array", items: [NUMBER, TEXT], additionalItems: false }, LISTS],
    ["a list in items and a schema for the rest", { type: "array", items: [NUMBER], additionalItems: TEXT }, LISTS],
    ["one schema in items", { type: "array", items: NUMBER }, LISTS],
    ["a list in items under a condition", { anyOf: [{ items: [NUMBER], additionalItems: TEXT }] }, LISTS],
    ["dependencies on names", { dependencies: { a: ["b", "c"] } }, OBJECTS],
    ["dependencies on schemas", { dependencies: { b: { required: ["a"], properties: { a: NUMBER } } } }, OBJECTS],
    ["both kinds of dependencies", { dependencies: { a: ["b"], b: false } }, OBJECTS],
    ["definitions", { properties: { a: { $ref: "#/definitions/n" } }, definitions: { n: NUMBER } }, OBJECTS],
  ])("with %s accepts what ajv accepts", (_, schema, values) => {
    const { check, derived, problems } = lower(schema);
    expect(problems).toEqual([]);
    const isValid = new Ajv({ strict: false }).compile(schema);
    for (const value of values) {
      const accepted = checkSchema(check, value) === null && derived.every(({ invariant }) => holds(invariant, value));
      expect({ value, accepted }).toEqual({ value, accepted: isValid(value) });
    }
  });
});
