import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/base/canonical-json.js";
import { sharingBudget, withinBudget, workLeft } from "../../../src/base/cost.js";

/** The work that spelling a value is charged with. */
function workOf(value: unknown): number {
  return sharingBudget(() => {
    const before = workLeft();
    canonicalJson(value);
    return before - workLeft();
  });
}

describe("canonical JSON", () => {
  it("is the same for the same value, whatever the order of its keys", () => {
    const text = canonicalJson({ b: [1, { d: null, c: "\n" }], a: "\ud800" });
    expect(text).toBe('{"a":"\\ud800","b":[1,{"c":"\\n","d":null}]}');
    expect(canonicalJson(JSON.parse(text))).toBe(text);
  });

  const letters = { plain: "a", escaped: "\u0001", quotes: '"', "two units": "\u{1f600}" };

  it.each(Object.entries(letters))("is charged for the length of texts and of keys: %s", (_, letter) => {
    const text = letter.repeat(10_000);
    expect(workOf(text)).toBeGreaterThanOrEqual(text.length);
    expect(workOf({ [text]: 0 })).toBeGreaterThanOrEqual(text.length);
    expect(workOf([text, text])).toBeGreaterThanOrEqual(2 * text.length);
    expect(workOf({ [text]: text })).toBeGreaterThanOrEqual(2 * text.length);
  });

  it("is charged more for halves of pairs, which take longest to be escaped", () => {
    const text = "\ud800".repeat(10_000);
    expect(workOf(text)).toBeGreaterThanOrEqual(20 * text.length);
    expect(workOf({ [text]: 0 })).toBeGreaterThanOrEqual(20 * text.length);
  });

  it.each(["a", "\u0001", "\ud800"])("is not spelled beyond its budget, for texts and keys of %j", (letter) => {
    const text = letter.repeat(9_000_000);
    for (const value of [text, { [text]: 0 }, [[text]]]) {
      const isSpelled = withinBudget(
        () => canonicalJson(value) !== "",
        () => false,
      );
      expect(isSpelled).toBe(false);
    }
  });
});
