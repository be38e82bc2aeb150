import { describe, expect, it } from "vitest";
import type { CompiledOperator } from "../../../../src/artifact/compiled-value.js";
import type { Json } from "../../../../src/base/json.js";
import { fieldTestOf, judgeField } from "../../../../src/guard/program/field-test.js";
import { judgeOperator } from "../../../../src/guard/values/judge-value.js";
import { fc } from "../../../support/fast-check.js";
import { haveOneHiddenClass } from "../../../support/hidden-class.js";
import { SAMPLE_OPERATORS } from "../../../support/operator-samples.js";

const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, 2 ** 53, "", "a", "b", "ab", "é");
const value: fc.Arbitrary<Json> = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.constant<Json>({ a: 1 }));

const operator: fc.Arbitrary<CompiledOperator> = fc.oneof(
  fc.constantFrom(...SAMPLE_OPERATORS),
  value.map((expected): CompiledOperator => ({ op: "equals", value: expected })),
  fc.array(value, { maxLength: 3 }).map((values): CompiledOperator => ({ op: "one_of", values })),
  fc
    .constantFrom("string", "number", "integer", "boolean", "object", "array", "null")
    .map((type): CompiledOperator => ({ op: "type", value: type })),
  fc
    .constantFrom("^a", "b$", "^$")
    .map((source): CompiledOperator => ({ op: "regex", pattern: { engine: "native", source } })),
  fc
    .constantFrom("a", "b+")
    .map((source): CompiledOperator => ({ op: "regex", pattern: { engine: "counted", source } })),
  fc
    .tuple(fc.constantFrom("gte", "lte", "gt", "lt", "multiple_of"), fc.constantFrom(0, 1, 1.5, -1))
    .map(([op, bound]): CompiledOperator => ({ op, value: bound })),
  fc
    .tuple(fc.constantFrom("length_gte", "length_lte"), fc.constantFrom(0, 1, 2))
    .map(([op, bound]): CompiledOperator => ({ op, value: bound })),
  fc.boolean().map((isThere): CompiledOperator => ({ op: "exists", value: isThere })),
  fc.constant<CompiledOperator>({ op: "contains", value: "a" }),
  fc.constant<CompiledOperator>({ op: "equals_env", name: "A" }),
);

describe("the quick test of an operator", () => {
  it("never passes what the operator does not", () => {
    fc.assert(
      fc.property(operator, value, (given, found) => {
        const test = fieldTestOf(given, 1);
        if (test === null || judgeField(test, ["other", found]) !== true) return;
        expect(judgeOperator(given, found, new Map([["A", "a"]]))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it("never fails what the operator passes", () => {
    fc.assert(
      fc.property(operator, value, (given, found) => {
        const test = fieldTestOf(given, 1);
        if (test === null || judgeField(test, ["other", found]) !== false) return;
        expect(judgeOperator(given, found, new Map([["A", "a"]]))).not.toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it("leaves long texts to the operator", () => {
    const test = fieldTestOf({ op: "regex", pattern: { engine: "native", source: "^a" } }, 0);
    expect(test !== null && ["a", "b"].map((letter) => judgeField(test, [letter.repeat(300)]))).toEqual([null, null]);
  });

  it("passes every scalar that the operator passes", () => {
    fc.assert(
      fc.property(operator, scalar, (given, found) => {
        const test = fieldTestOf(given, 0);
        if (test === null) return;
        expect(judgeField(test, [found])).toBe(judgeOperator(given, found, new Map()) === true);
      }),
      { numRuns: 5000 },
    );
  });

  it("passes nothing that is not there", () => {
    fc.assert(
      fc.property(operator, (given) => {
        const test = fieldTestOf(given, 0);
        expect(test !== null && judgeField(test, [undefined])).toBe(false);
      }),
    );
  });

  it("has one hidden class for all operators, so that running many of them stays fast", () => {
    const tests = fc.sample(operator, 500).flatMap((given) => fieldTestOf(given, 0) ?? []);
    expect(haveOneHiddenClass(tests.slice(-100))).toBe(true);
  });
});
