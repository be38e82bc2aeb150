import { describe, expect, it } from "vitest";
import { codePointsOf } from "../../../src/base/character-set.js";
import { LAST_CODE_POINT } from "../../../src/base/code-point-set.js";
import { readPattern } from "../../../src/language/regex/read-pattern.js";

describe("codePointsOf", () => {
  it.each([
    ".",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "[]",
    "[^]",
    "[^\\dx-z]",
    "[\\ud800-\\udbff\u{1f600}-\u{1f64f}]",
  ])("knows, for every code point of Unicode, whether %s matches it", (source) => {
    const pattern = new RegExp(`^${source}$`, "u");
    const actual = new Uint8Array(LAST_CODE_POINT + 1);
    for (const { from, to } of characters(source)) actual.fill(1, from, to + 1);
    const wrong = actual.findIndex((is, codePoint) => (is === 1) !== pattern.test(String.fromCodePoint(codePoint)));
    expect(wrong).toBe(-1);
  });

  it.each(["\\p{Lu}", "\\P{Lu}", "[^\\p{L}]", "[a\\p{L}]"])(
    "takes %s for any character, whichever tables an engine has",
    (source) => {
      expect(characters(source)).toEqual([{ from: 0, to: LAST_CODE_POINT }]);
    },
  );
});

function characters(source: string) {
  const parsed = readPattern(source);
  const node = parsed.ok ? parsed.pattern.alternatives[0]?.elements[0] : undefined;
  if (node?.type === "CharacterSet" || node?.type === "CharacterClass") return codePointsOf(node);
  throw new Error(`not a class: ${source}`);
}
