import { describe, expect, it } from "vitest";
import { someText } from "../../src/domain/text-members.js";
import {
  holdsText,
  intersectTexts,
  NO_TEXTS,
  otherTexts,
  type Texts,
  textsListed,
  textsMatching,
  textsOfLength,
  textsWithPart,
  uniteTexts,
} from "../../src/domain/texts.js";
import { type Random, randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { TEXTS } from "./small-universe.js";

/** A text of the one that is not in the other: the shortest. */
function difference(one: Texts, other: Texts): string | null {
  const member = someText(intersectTexts(one, otherTexts(other)));
  if (member.kind === "unsure") throw new Error("the search was cut");
  return member.kind === "found" ? member.value : null;
}

const matching = textsMatching;

/** Pairs of patterns, with what only the first and what only the second matches. */
const COMPARED: readonly (readonly [string, string, string | null, string | null])[] = [
  ["^ORD-[0-9]{6}$", "^ORD-\\d{6}$", null, null],
  ["^ORD-[0-9]{6}$", "^ORD-[0-9]+$", null, "ORD-1"],
  ["^[a-z]+$", "^[a-y]+$", "z", null],
  ["^(a|b)*$", "^[ab]*$", null, null],
  ["^(ab)*a$", "^a(ba)*$", null, null],
  ["^a*$", "^(aa)*$", "a", null],
  ["^(?:[A-Z]{2}\\d{2}|[A-Z]{3})$", "^[A-Z]{2}", null, "AA"],
  ["a", "^a", "1a", null],
  ["\\bcat\\b", "cat", null, "acat"],
  ["^\\w+@\\w+\\.com$", "@", null, "@"],
  ["^\\p{Lu}", "^\\p{L}", null, "a"],
  ["^https://", "^https?://", null, "http://"],
  ["^.{1,200}$", "^.{1,100}$", "a".repeat(101), null],
  ["^[^@]+@[^@]+$", "^\\S+@\\S+$", " @a", "@@a"],
  ["^(\\+|00)\\d{7,15}$", "^\\+\\d{7,15}$", "001111111", null],
];

describe("patterns", () => {
  it.each(COMPARED)("%s and %s", (one, other, onlyOne, onlyOther) => {
    const [first, second] = [difference(matching(one), matching(other)), difference(matching(other), matching(one))];
    const show = (text: string | null) => (text === null ? null : [...text].length);
    expect([show(first), show(second)]).toEqual([show(onlyOne), show(onlyOther)]);
    for (const [text, has, lacks] of [
      [first, one, other],
      [second, other, one],
    ] as const) {
      if (text !== null)
        expect([new RegExp(has, "u").test(text), new RegExp(lacks, "u").test(text)]).toEqual([true, false]);
    }
  });

  it("have a common text, the shortest, or none", () => {
    const common = (...sources: readonly string[]) =>
      someText(sources.map(matching).reduce(intersectTexts, textsOfLength(0, 1000)));
    expect(common("^[a-c]+$", "b$", "^a", "cc")).toEqual({ kind: "found", value: "accb" });
    expect(common("^[a-c]+$", "\\d")).toEqual({ kind: "none" });
    expect(common("^a{3}$", "^(aa)+$")).toEqual({ kind: "none" });
    expect(common("a$.")).toEqual({ kind: "none" });
    expect(common("^(aaa)+$", "^(aa)+$")).toEqual({ kind: "found", value: "aaaaaa" });
  });
});

describe("texts", () => {
  it("of a list are those that the rest leaves", () => {
    const list = textsListed(["ORD-1", "ORD-22", "x"]);
    expect(intersectTexts(list, textsMatching("^ORD")).listed).toEqual(new Set(["ORD-1", "ORD-22"]));
    expect(intersectTexts(textsMatching("^ORD-\\d$"), list).listed).toEqual(new Set(["ORD-1"]));
    expect(someText(intersectTexts(list, textsOfLength(7, 9)))).toEqual({ kind: "none" });
    expect(difference(list, textsListed(["x", "ORD-1"]))).toBe("ORD-22");
  });

  it("of a length need no search, however long they are", () => {
    const long = textsOfLength(1_000_000, Number.POSITIVE_INFINITY);
    expect(someText(long)).toEqual({ kind: "unsure" });
    expect(someText(intersectTexts(long, textsOfLength(0, 999_999)))).toEqual({ kind: "none" });
    expect(difference(textsOfLength(0, 50_000), textsOfLength(0, 49_999))).toHaveLength(50_000);
  });

  it("of more than one condition", () => {
    const both = intersectTexts(textsWithPart("abab"), textsMatching("^[ab]*$"));
    expect(someText(intersectTexts(both, otherTexts(textsListed(["abab"]))))).toEqual({
      kind: "found",
      value: "aabab",
    });
    expect(someText(uniteTexts(NO_TEXTS, textsWithPart("1")))).toEqual({ kind: "found", value: "1" });
  });

  it("that are not modelled may be anything, and say so", () => {
    const texts = textsMatching("(?=a)b");
    expect([texts.isExact, holdsText(texts, "x")]).toEqual([false, true]);
    expect(textsMatching("^(?:.{0,80}a){80}$").isExact).toBe(false);
    // Halves of a character, in whatever order they come.
    expect(textsWithPart("\ud83d").isExact).toBe(false);
    expect(otherTexts(texts)).toMatchObject({ isExact: false, formula: { kind: "every", holds: true } });
  });

  it("of patterns with too many states are not decided", () => {
    const [one, other] = ["^(?:a|b)*a(?:a|b){5}$", "^(?:a|b)*b(?:a|b){5}$"].map(textsMatching);
    expect(someText(intersectTexts(one ?? NO_TEXTS, other ?? NO_TEXTS))).toEqual({ kind: "none" });
    const [large, larger] = ["^(?:a|b)*a(?:a|b){16}$", "^(?:a|b)*b(?:a|b){16}$"].map(textsMatching);
    expect(someText(intersectTexts(large ?? NO_TEXTS, larger ?? NO_TEXTS))).toEqual({ kind: "unsure" });
  });
});

function randomPattern(random: Random, depth: number): string {
  if (depth === 0)
    return random.pick(["a", "b", "1", "-", ".", "[ab]", "[^a]", "\\d", "\\w", "\\W", "\\b", "\\B", "^", "$", ""]);
  const inner = () => randomPattern(random, depth - 1);
  switch (random.below(4)) {
    case 0:
      return `(?:${inner()}|${inner()})`;
    case 1:
      return `(?:${inner()})${random.pick(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}"])}`;
    default:
      return inner() + inner();
  }
}

const PATTERNS = sizeOf("DOMAIN_PATTERNS", { share: 1_500, full: 40_000 });
const SEED = seedOf("DOMAIN_SEED", 182);

describe(`random patterns, seed ${SEED}`, () => {
  it(`match what the engine of JavaScript matches, ${PATTERNS} of them`, () => {
    const wrong: unknown[] = [];
    for (let run = 0; run < PATTERNS; run++) {
      const source = randomPattern(randomFrom(SEED, run), 1 + (run % 4));
      const [texts, expression] = [textsMatching(source), new RegExp(source, "u")];
      expect([source, texts.isExact]).toEqual([source, true]);
      for (const text of TEXTS) if (holdsText(texts, text) !== expression.test(text)) wrong.push([source, text]);
      const member = someText(texts);
      if (member.kind === "found" && !expression.test(member.value)) wrong.push([source, member.value]);
      const [other] = TEXTS.filter((text) => expression.test(text));
      if (member.kind === "none" && other !== undefined) wrong.push([source, other, "not found"]);
    }
    expect(wrong).toEqual([]);
  }, 600_000);
});
