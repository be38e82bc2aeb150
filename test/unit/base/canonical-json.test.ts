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

  it("does not depend on objects that were written before", () => {
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${40 - at}`, at]));
    const alike = [
      { b: 1, a: 2 },
      { b: 1, c: 2 },
      { b: -0, a: 1e21 },
      { b: undefined, a: 0.1 },
      { '"': 1, a: [] },
      wide,
    ];
    const plainly = (value: object): string =>
      `{${Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`)
        .join(",")}}`;
    for (const value of [...alike, ...alike]) expect(canonicalJson(value)).toBe(plainly(value));
  });

  it("is charged the same the second time", () => {
    const first = workOf({ never_seen_before: 1, nor: "this" });
    expect(workOf({ never_seen_before: 1, nor: "this" })).toBe(first);
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
