import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/base/canonical-json.js";
import type { Json } from "../../../src/base/json.js";
import { isSameJson } from "../../../src/base/same-json.js";
import { fc } from "../../support/fast-check.js";

/** Few names and values, so that two of them are the same often. */
const value = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 0, 1, "", "a"),
    fc.array(tie("json"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("json"), { maxKeys: 2 }),
  ),
})).json;

describe("isSameJson", () => {
  it("says of two values what their canonical texts say", () => {
    let same = 0;
    fc.assert(
      fc.property(value, value, (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        if (isSame) same += 1;
        expect(isSameJson(one, other)).toBe(isSame);
      }),
      { numRuns: 5000 },
    );
    expect(same).toBeGreaterThan(100);
  });

  it("does not depend on the order of members", () => {
    expect(isSameJson({ a: 1, b: { c: [], d: null } }, { b: { d: null, c: [] }, a: 1 })).toBe(true);
  });

  it("tells a list from an object, and members from those of prototypes", () => {
    expect(isSameJson([], {})).toBe(false);
    expect(isSameJson({ toString: null }, {})).toBe(false);
    expect(isSameJson({ a: 1 }, { b: 1 })).toBe(false);
  });
});
