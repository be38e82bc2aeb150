import { describe, expect, it } from "vitest";
import { addSums, compareSum, EMPTY_SUM, subtractSums, sumAll, sumNumber, sumOf } from "../../../src/base/exact-sum.js";
import { fc } from "../../support/fast-check.js";

const total = (values: readonly number[]) => values.reduce((sum, value) => addSums(sum, sumOf(value)), EMPTY_SUM);

describe("an exact sum", () => {
  it("adds 0.1 ten times to exactly 1", () => {
    expect(compareSum(total(Array(10).fill(0.1)), 1)).toBe(0);
    expect(compareSum(total(Array(11).fill(0.1)), 1)).toBe(1);
  });

  it("holds 0.1 + 0.2 to 0.3", () => {
    expect(compareSum(total([0.1, 0.2]), 0.3)).toBe(0);
  });

  it.each([
    [[2 ** 53 - 1, 1, 1], 2 ** 53, 1],
    [[1e308, 1e308, -1e308], 1e308, 0],
    [[5e-324, 1], 1, 1],
    [[-0.5, 0.5], 0, 0],
  ])("compares the sum of %j with %d", (values, bound, expected) => {
    expect(Math.sign(compareSum(total(values), bound))).toBe(expected);
  });

  const cents = fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 100);

  const anything = fc.oneof(
    cents,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom(0, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e15, 1e15 + 0.3, 0.1, 1e-7, 123456789.123456, 1e308, 5e-324),
    fc.integer({ min: -(10 ** 15), max: 10 ** 15 }).map((value) => value / 1e6),
  );

  it("is the same for all numbers at once as for one after the other", () => {
    fc.assert(
      fc.property(fc.array(anything), (values) => {
        expect(sumAll(values)).toEqual(total(values));
      }),
      { numRuns: 3000, seed: 20261121 },
    );
  });

  it("does not depend on the order of what is added", () => {
    fc.assert(
      fc.property(fc.array(cents), (values) => {
        expect(compareSum(subtractSums(total(values), total([...values].reverse())), 0)).toBe(0);
      }),
    );
  });

  it("comes back to exactly what it was when something is added and taken away again", () => {
    fc.assert(
      fc.property(fc.array(cents), cents, (values, extra) => {
        const before = total(values);
        expect(sumNumber(subtractSums(addSums(before, sumOf(extra)), sumOf(extra)))).toBe(sumNumber(before));
      }),
    );
  });
});
