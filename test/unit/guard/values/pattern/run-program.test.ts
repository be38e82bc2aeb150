import { describe, expect, it } from "vitest";
import { withinBudget } from "../../../../../src/base/cost.js";
import { matchPattern } from "../../../../../src/guard/values/match-pattern.js";
import { parsePattern, programOf } from "../../../../../src/guard/values/pattern/program.js";
import { ProgramRun } from "../../../../../src/guard/values/pattern/run-program.js";
import { parseRegex } from "../../../../../src/language/regex/parse-regex.js";
import { fc } from "../../../../support/fast-check.js";

describe("a pattern run step by step", () => {
  it("finds a match exactly where ECMAScript does", () => {
    fc.assert(
      fc.property(patterns, texts, (source, text) => {
        const expected = finds(source, text);
        expect(counted(source).test(text)).toBe(expected);
        // V8 alone starts inside surrogate pairs, where only `\\B` can hold; see linear-native.ts.
        if (!source.includes("\\B")) expect(new RegExp(source, "u").test(text)).toBe(expected);
      }),
      { numRuns: 4000, seed: 20261118 },
    );
  });

  it("answers one text after the other as it answers each alone", () => {
    fc.assert(
      fc.property(patterns, fc.array(texts, { maxLength: 5 }), (source, several) => {
        const run = counted(source);
        for (const text of several) expect(run.test(text)).toBe(counted(source).test(text));
      }),
      { numRuns: 500, seed: 20261119 },
    );
  });

  it("agrees with the native engine where that is used for short texts", () => {
    fc.assert(
      fc.property(patterns, texts, (source, text) => {
        const result = parseRegex(source);
        if (!result.ok || result.pattern.engine !== "native") return;
        const filler = "~".repeat(300);
        expect(matchPattern(result.pattern, text)).toBe(finds(source, text));
        expect(matchPattern(result.pattern, `${text}${filler}`)).toBe(finds(source, `${text}${filler}`));
      }),
      { numRuns: 4000, seed: 20261120 },
    );
  });

  it.each([
    ["\\ud83d", "\u{1f600}", false],
    ["\\ud83d", "a\ud83d", true],
    ["\\ude00", "\u{1f600}", false],
    ["\\ude00", "\ude00", true],
    ["\\u{d83d}\\u{de00}", "\u{1f600}", false],
    ["^.$", "\ud83d", true],
    ["^.$", "\u{1f600}", true],
    ["^..$", "\ude00\ud83d", true],
    ["^[^x]$", "\udfff", true],
    ["\\p{Cs}", "\ud83d", true],
    ["\\p{Cs}", "\u{1f600}", false],
    ["\\B", "a\u{1f600}b", false],
  ])("treats surrogates in %s as ECMAScript does: %j %s", (source, text, expected) => {
    expect(finds(source, text)).toBe(expected);
    expect(counted(source).test(text)).toBe(expected);
  });

  it.each(["\\p{L}", "\\P{Lu}", "\\p{Script=Han}", "\\p{Cs}", "\\p{Emoji}", "\\p{Any}"])(
    "knows for every code point of Unicode whether it is %s",
    (source) => {
      const run = counted(`^${source}$`);
      const native = new RegExp(`^${source}$`, "u");
      let wrong = -1;
      for (let codePoint = 0x10ffff; codePoint >= 0; codePoint--) {
        const character = String.fromCodePoint(codePoint);
        if (run.test(character) !== native.test(character)) wrong = codePoint;
      }
      expect(wrong).toBe(-1);
    },
  );

  it("stays linear where backtracking explodes", () => {
    expect(counted("^(?:a+)+$").test(`${"a".repeat(100_000)}!`)).toBe(false);
  });

  it("costs the same every time, and throws where more is needed than may be paid", () => {
    const run = counted("a.{0,200}c$");
    const text = `${"ab".repeat(20_000)}`;
    const verdict = () =>
      withinBudget<boolean | "too much">(
        () => run.test(text),
        () => "too much",
      );
    expect([verdict(), verdict(), run.test(text), verdict()]).toEqual(["too much", "too much", false, "too much"]);
  });
});

const character = fc.constantFrom(
  ...["a", "b", "A", "k", "K", "\\u212A", "\\u017F", "s", "0", "_", ",", " ", "\\n", "\\u2028", "\\uFEFF", "é"],
  ...["€", "😀", "\\u{1F601}", "\\ud83d", "\\ude00", "\\u{d83d}", "\\x41", "\\cJ", "\\x00", "/"],
);
const escaped = fc.constantFrom(
  ...["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\p{Lu}", "\\P{L}", "\\p{Script=Greek}", "\\p{Cs}", "\\p{Emoji}"],
);
const classElement = fc.oneof(
  character,
  escaped,
  fc.constantFrom("\\-", "a-k", "K-a", "\\u{1F600}-\\u{1F64F}", "\\ud800-\\udfff", "\\0-\\u{10FFFF}", "\\x00-\\uffff"),
);
const characterClass = fc
  .tuple(fc.constantFrom("", "^"), fc.array(classElement, { maxLength: 3 }))
  .map(([negation, elements]) => `[${negation}${elements.join("")}]`);
const assertion = fc.constantFrom("^", "$", "\\b", "\\B");
const count = fc.constantFrom("*", "+", "?", "{0}", "{1}", "{2}", "{0,2}", "{1,3}", "{2,}", "*?", "+?", "??", "{1,2}?");
const { choice } = fc.letrec<{ choice: string; sequence: string; part: string; quantifiable: string }>((tie) => ({
  choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((branches) => branches.join("|")),
  sequence: fc.array(tie("part"), { maxLength: 3 }).map((parts) => parts.join("")),
  part: fc.oneof(
    { weight: 1, arbitrary: assertion },
    { weight: 4, arbitrary: tie("quantifiable") },
    { weight: 4, arbitrary: fc.tuple(tie("quantifiable"), count).map((pair) => pair.join("")) },
  ),
  quantifiable: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: character },
    { weight: 1, arbitrary: fc.constant(".") },
    { weight: 1, arbitrary: escaped },
    { weight: 2, arbitrary: characterClass },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom("(", "(?:", "(?<name>"), tie("choice")).map((pair) => `${pair.join("")})`),
    },
  ),
}));
const patterns = choice.map((source) => {
  let names = 0;
  return source.replaceAll("(?<name>", () => `(?<name${names++}>`);
});
const texts = fc.string({
  unit: fc.constantFrom(
    ...["a", "b", "c", "A", "k", "K", "\u212a", "s", "\u017f", "0", "_", ",", " ", "-", "\n", "\r", "\u2028", "\ufeff"],
    ...["\u00a0", "é", "€", "λ", "😀", "\u{1f601}", "\ud83d", "\ude00", "\0", "\u{10ffff}", "/"],
  ),
  maxLength: 8,
});

function counted(source: string): ProgramRun {
  const program = programOf(parsePattern(source));
  if (program === null) throw new Error("the program is too large");
  return new ProgramRun(program);
}

/** RegExpBuiltinExec (ECMAScript 2024, 22.2.7.2) as written: one sticky attempt at every code point. */
function finds(source: string, text: string): boolean {
  const attempt = new RegExp(source, "uy");
  let at = 0;
  for (const character of [...text, ""]) {
    attempt.lastIndex = at;
    if (attempt.test(text)) return true;
    at += character.length;
  }
  return false;
}
