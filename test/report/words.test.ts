import { describe, expect, it } from "vitest";
import type { CompiledOperator } from "../../src/artifact/compiled-value.js";
import { amount } from "../../src/base/wording.js";
import { asked } from "../../src/report/operator-words.js";
import { counted, duration, duty } from "../../src/report/sentence-words.js";

describe("values in words", () => {
  it("puts long numbers into groups, and leaves short ones and fractions alone", () => {
    expect([5000000, -250000, 12345.678, 9999, 0.00001, 1e30].map(amount)).toEqual([
      "5,000,000",
      "-250,000",
      "12,345.678",
      "9999",
      "0.00001",
      "1e+30",
    ]);
    expect(counted(20725, "state")).toBe("20,725 states");
  });

  it("says a time in the largest unit that it fills", () => {
    expect([1, 90, 300, 3600, 7200, 0].map(duration)).toEqual([
      "1 second",
      "90 seconds",
      "5 minutes",
      "1 hour",
      "2 hours",
      "0 seconds",
    ]);
  });

  it.each<readonly [readonly CompiledOperator[], string]>([
    [[{ op: "exists", value: true }], "be given"],
    [[{ op: "exists", value: false }], "be absent"],
    [[{ op: "type", value: "boolean" }], "be true or false"],
    [
      [
        { op: "type", value: "number" },
        { op: "gte", value: 0 },
        { op: "lte", value: 1 },
      ],
      "be a number, at least 0 and at most 1",
    ],
    [[{ op: "one_of", values: ["a", "b", 3] }], 'be equal to "a", "b" or 3'],
    [[{ op: "gt", value: 100000 }], "be greater than 100,000"],
    [[{ op: "not_equals", value: "admin" }], 'be other than "admin"'],
    [[{ op: "not_one_of", values: ["a", "b", 3] }], 'be other than "a", "b" or 3'],
  ])("says what a value must be: %#", (operators, words) => {
    expect(duty(operators)).toBe(words);
  });

  it("cuts a list of values that nobody would read", () => {
    const values = Array.from({ length: 100 }, (_, number) => `value ${number}`);
    expect(asked({ op: "one_of", values })).toMatch(/^equal to "value 0", "value 1".{150,200}…$/);
  });
});
