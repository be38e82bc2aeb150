import { describe, expect, it } from "vitest";
import { failThen, holdThen } from "../../../src/analysis/diff/static/operator-strength.js";
import type { CompiledOperator } from "../../../src/operators/index.js";

type Row = readonly [now: CompiledOperator, then: CompiledOperator];

/** Whatever satisfies the first satisfies the second. */
const IMPLIED: readonly Row[] = [
  [
    { op: "equals", value: "b" },
    { op: "not_equals", value: "a" },
  ],
  [
    { op: "one_of", values: ["b", 1] },
    { op: "not_equals", value: "a" },
  ],
  [
    { op: "gte", value: 5 },
    { op: "not_equals", value: 3 },
  ],
  [
    { op: "type", value: "number" },
    { op: "not_equals", value: "a" },
  ],
  [
    { op: "regex", pattern: { engine: "native", source: "^[a-z]+$" } },
    { op: "not_equals", value: "A" },
  ],
  [
    { op: "not_equals", value: null },
    { op: "exists", value: true },
  ],
  [
    { op: "exists", value: true },
    { op: "not_equals", value: null },
  ],
  [
    { op: "not_one_of", values: ["a", "b"] },
    { op: "not_equals", value: "a" },
  ],
  [
    { op: "not_one_of", values: ["a", "b", 1] },
    { op: "not_one_of", values: [1, "a"] },
  ],
  [
    { op: "one_of", values: ["c", "d"] },
    { op: "not_one_of", values: ["a", "b"] },
  ],
  [
    { op: "lte", value: 2 },
    { op: "not_one_of", values: [3, "a", null] },
  ],
  [
    { op: "gt", value: 5 },
    { op: "gte", value: 5 },
  ],
  [
    { op: "gte", value: 5.5 },
    { op: "gt", value: 5 },
  ],
  [
    { op: "gt", value: 5 },
    { op: "not_equals", value: 5 },
  ],
  [
    { op: "lt", value: 5 },
    { op: "lte", value: 5 },
  ],
  [
    { op: "lte", value: 4.5 },
    { op: "lt", value: 5 },
  ],
];

/** Some value that satisfies the first does not satisfy the second, or may not. */
const NOT_IMPLIED: readonly Row[] = [
  [
    { op: "not_equals", value: "a" },
    { op: "equals", value: "b" },
  ],
  [
    { op: "not_equals", value: "a" },
    { op: "exists", value: true },
  ],
  [
    { op: "equals_env", name: "A" },
    { op: "not_equals", value: "a" },
  ],
  [
    { op: "gte", value: 5 },
    { op: "not_equals", value: 5 },
  ],
  [
    { op: "not_equals", value: "a" },
    { op: "not_one_of", values: ["a", "b"] },
  ],
  [
    { op: "gte", value: 5 },
    { op: "gt", value: 5 },
  ],
  [
    { op: "lte", value: 5 },
    { op: "lt", value: 5 },
  ],
  [
    { op: "lt", value: 5 },
    { op: "gt", value: 1 },
  ],
];

/** Whatever surely fails the first surely fails the second. */
const FAILED: readonly Row[] = [
  [
    { op: "not_equals", value: 3 },
    { op: "gte", value: 5 },
  ],
  [
    { op: "not_equals", value: "a" },
    { op: "equals", value: "b" },
  ],
  [
    { op: "not_equals", value: "a" },
    { op: "type", value: "number" },
  ],
  [
    { op: "not_equals", value: "a" },
    { op: "not_one_of", values: ["a", "b"] },
  ],
  [
    { op: "not_one_of", values: [1, 2] },
    { op: "gte", value: 3 },
  ],
  [
    { op: "gte", value: 5 },
    { op: "gt", value: 5 },
  ],
  [
    { op: "lte", value: 5 },
    { op: "lt", value: 5 },
  ],
];

/** Something surely fails the first and does not surely fail the second; what is absent fails `exists`. */
const NOT_FAILED: readonly Row[] = [
  [
    { op: "not_equals", value: "a" },
    { op: "gte", value: 5 },
  ],
  [
    { op: "exists", value: true },
    { op: "not_equals", value: null },
  ],
  [
    { op: "equals", value: "b" },
    { op: "not_equals", value: "a" },
  ],
  [
    { op: "not_one_of", values: ["a", "b"] },
    { op: "not_equals", value: "a" },
  ],
  [
    { op: "gt", value: 5 },
    { op: "gte", value: 5 },
  ],
  [
    { op: "lt", value: 5 },
    { op: "lte", value: 5 },
  ],
];

describe("comparing operators", () => {
  it.each(IMPLIED)("%j implies %j", (now, then) => expect(holdThen([now], [then])).toBe(true));
  it.each(NOT_IMPLIED)("%j does not imply %j", (now, then) => expect(holdThen([now], [then])).toBe(false));
  it.each(FAILED)("%j fails only where %j does", (now, then) => expect(failThen([now], [then])).toBe(true));
  it.each(NOT_FAILED)("%j does not fail only where %j does", (now, then) =>
    expect(failThen([now], [then])).toBe(false),
  );
});
