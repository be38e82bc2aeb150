import { describe, expect, it } from "vitest";
import {
  areDisjoint,
  type CodePointSet,
  codePointSet,
  complement,
  LAST_CODE_POINT,
  union,
} from "../../../src/base/code-point-set.js";
import { fc } from "../../support/fast-check.js";

const point = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: LAST_CODE_POINT - 4, max: LAST_CODE_POINT }));
const sets = fc
  .array(
    fc.tuple(point, point).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
    { maxLength: 5 },
  )
  .map(codePointSet);

describe("codePointSet", () => {
  it("sorts ranges and merges those that overlap or touch", () => {
    const ranges = [range(9, 9), range(4, 6), range(0, 1), range(2, 2), range(5, 7)];
    expect(codePointSet(ranges)).toEqual([range(0, 2), range(4, 7), range(9, 9)]);
  });

  it("is the complement of its complement", () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(complement(complement(set))).toEqual(set);
      }),
    );
    expect(complement([])).toEqual([range(0, LAST_CODE_POINT)]);
  });

  it("joins what either set holds", () => {
    fc.assert(
      fc.property(sets, sets, point, (a, b, one) => {
        expect(has(union(a, b), one)).toBe(has(a, one) || has(b, one));
      }),
    );
  });

  it("is disjoint from another set if no code point is in both", () => {
    const points = [...Array(13).keys(), ...Array.from({ length: 5 }, (_, index) => LAST_CODE_POINT - index)];
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(areDisjoint(a, b)).toBe(!points.some((one) => has(a, one) && has(b, one)));
        expect(areDisjoint(a, complement(a))).toBe(true);
      }),
    );
  });
});

function range(from: number, to: number) {
  return { from, to };
}

function has(set: CodePointSet, one: number): boolean {
  return set.some(({ from, to }) => from <= one && one <= to);
}
