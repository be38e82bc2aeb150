import { describe, expect, it } from "vitest";
import { breakingValues, satisfyingValues } from "../../src/analysis/values/operator-values.js";
import { matchingTexts, otherTexts } from "../../src/analysis/values/pattern-texts.js";
import type { CompiledOperator, CompiledPattern } from "../../src/artifact/compiled-value.js";
import type { Json } from "../../src/base/json.js";
import { judgeEntry } from "../../src/guard/values/judge-value.js";
import { matchPattern } from "../../src/guard/values/match-pattern.js";

const ENV = new Map([["REGION", "eu-west"]]);

function patternOf(source: string): CompiledPattern {
  return { engine: "counted", source };
}

function judge(operators: readonly CompiledOperator[], value: Json): boolean | null {
  return judgeEntry({ path: { kind: "definite", text: "$", steps: [] }, operators }, value, ENV);
}

interface Row {
  readonly name: string;
  readonly operators: readonly CompiledOperator[];
  /** Values that must be among those that satisfy, and among those that break. */
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
}

const ROWS: readonly Row[] = [
  { name: "gte", operators: [{ op: "gte", value: 5 }], good: [5, 6], bad: [4, 4.99] },
  { name: "lte", operators: [{ op: "lte", value: 5 }], good: [5, 4], bad: [6, 5.01] },
  { name: "gt", operators: [{ op: "gt", value: 5 }], good: [6, 5.01], bad: [5, 4] },
  { name: "lt", operators: [{ op: "lt", value: 5 }], good: [4, 4.99], bad: [5, 6] },
  { name: "multiple_of", operators: [{ op: "multiple_of", value: 0.1 }], good: [0.1], bad: [0.05] },
  { name: "equals a text", operators: [{ op: "equals", value: "a" }], good: ["a"], bad: ["ax"] },
  { name: "equals a number", operators: [{ op: "equals", value: 7 }], good: [7], bad: [8, 6] },
  { name: "equals a list", operators: [{ op: "equals", value: [1] }], good: [[1]], bad: [[1, null]] },
  { name: "equals an object", operators: [{ op: "equals", value: { a: 1 } }], good: [{ a: 1 }], bad: [{}] },
  { name: "equals null", operators: [{ op: "equals", value: null }], good: [null], bad: ["text"] },
  { name: "equals true", operators: [{ op: "equals", value: true }], good: [true], bad: [false] },
  { name: "one_of", operators: [{ op: "one_of", values: ["a", "b", 3] }], good: ["a", "b", 3], bad: ["ax", 4] },
  { name: "exists", operators: [{ op: "exists", value: true }], good: ["text"], bad: [null] },
  { name: "exists not", operators: [{ op: "exists", value: false }], good: [null], bad: ["text"] },
  { name: "type string", operators: [{ op: "type", value: "string" }], good: ["text"], bad: [1, null] },
  { name: "type number", operators: [{ op: "type", value: "number" }], good: [1, 1.5], bad: ["text"] },
  { name: "type integer", operators: [{ op: "type", value: "integer" }], good: [1, 0], bad: [1.5] },
  { name: "type boolean", operators: [{ op: "type", value: "boolean" }], good: [true, false], bad: [1] },
  { name: "type object", operators: [{ op: "type", value: "object" }], good: [{}], bad: [[]] },
  { name: "type array", operators: [{ op: "type", value: "array" }], good: [[]], bad: [{}] },
  { name: "type null", operators: [{ op: "type", value: "null" }], good: [null], bad: ["text"] },
  { name: "contains a text", operators: [{ op: "contains", value: "key" }], good: ["key"], bad: ["ey"] },
  { name: "contains a value", operators: [{ op: "contains", value: 3 }], good: [[3]], bad: [[]] },
  { name: "length_gte", operators: [{ op: "length_gte", value: 6 }], good: ["textaa"], bad: ["texta"] },
  { name: "length_lte", operators: [{ op: "length_lte", value: 3 }], good: ["tex"], bad: ["text"] },
  { name: "regex", operators: [{ op: "regex", pattern: patternOf("^[a-c]{2}$") }], good: ["aa"], bad: ["a"] },
  { name: "equals_env", operators: [{ op: "equals_env", name: "REGION" }], good: ["eu-west"], bad: ["other"] },
  { name: "not_equals a text", operators: [{ op: "not_equals", value: "a" }], good: ["ax", 1], bad: ["a"] },
  { name: "not_equals a number", operators: [{ op: "not_equals", value: 7 }], good: [8, 6], bad: [7] },
  { name: "not_equals null", operators: [{ op: "not_equals", value: null }], good: ["text"], bad: [null] },
  { name: "not_one_of", operators: [{ op: "not_one_of", values: ["a", 7] }], good: ["ax", 8, 6], bad: ["a", 7] },
  {
    name: "a range of multiples",
    operators: [
      { op: "gt", value: 5 },
      { op: "lte", value: 8 },
      { op: "multiple_of", value: 0.7 },
    ],
    good: [5.6],
    bad: [5],
  },
  {
    name: "a narrow range",
    operators: [
      { op: "gt", value: 0.001 },
      { op: "lt", value: 0.002 },
    ],
    good: [0.0015],
    bad: [0.001, 0.002],
  },
  {
    name: "a pattern with a length",
    operators: [
      { op: "regex", pattern: patternOf("^[a-z]+$") },
      { op: "length_gte", value: 12 },
      { op: "length_lte", value: 12 },
    ],
    good: ["aaaaaaaaaaaa"],
    bad: ["a"],
  },
  {
    name: "two patterns and a part",
    operators: [
      { op: "regex", pattern: patternOf("^a") },
      { op: "regex", pattern: patternOf("z$") },
    ],
    good: ["az"],
    bad: ["a"],
  },
  {
    name: "parts of a list of some length",
    operators: [
      { op: "contains", value: "x" },
      { op: "contains", value: 2 },
      { op: "length_gte", value: 3 },
    ],
    good: [["x", 2, "text"]],
    bad: [["x", 2]],
  },
  {
    name: "some of many with a bound",
    operators: [
      { op: "one_of", values: [1, 2, 3, "four"] },
      { op: "gte", value: 3 },
    ],
    good: [3],
    bad: [2, 4],
  },
];

describe.each(ROWS)("values for $name", ({ operators, good, bad }) => {
  it("satisfy or break the operators as the guard judges them", () => {
    const satisfying = satisfyingValues(operators, ENV);
    const breaking = breakingValues(operators, ENV);
    for (const value of satisfying) expect([value, judge(operators, value)]).toEqual([value, true]);
    for (const value of breaking) expect([value, judge(operators, value)]).not.toEqual([value, true]);
    for (const value of good) expect(satisfying).toContainEqual(value);
    for (const value of bad) expect(breaking).toContainEqual(value);
  });
});

describe("values that break", () => {
  it("come before those that cannot be judged", () => {
    const operators: readonly CompiledOperator[] = [{ op: "gte", value: 5 }];
    const judgements = breakingValues(operators, ENV).map((value) => judge(operators, value));
    expect(judgements).toContain(null);
    expect(judgements.lastIndexOf(false)).toBeLessThan(judgements.indexOf(null));
  });
});

const PATTERNS = [
  "^[0-9]{4,12}$",
  "^T-[0-9]+$",
  "^cust_[a-z0-9]+$",
  "^[^@]+@[^@]+$",
  "^/tmp/scratch/(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
  "^(?:buy|sell)$",
  "(a|b)+c{2,3}",
  "^\\p{Lu}\\p{Ll}*$",
  "\\bword\\b",
  "^\\d{3}-\\w+\\s?$",
  "^[^a-z\\d]+$",
  "^.{40}$",
  "^$",
  "\\u{1f600}",
  "^a(?:b(?:c|d))?e$",
  "(?<year>[12][0-9]{3})",
];

describe.each(PATTERNS)("texts for the pattern %s", (source) => {
  it("match it, or do not", () => {
    const pattern = patternOf(source);
    const matching = matchingTexts(pattern);
    const other = otherTexts(pattern);
    expect(matching.length).toBeGreaterThan(0);
    expect(other.length).toBeGreaterThan(0);
    expect(matching.map((text) => matchPattern(pattern, text))).toEqual(matching.map(() => true));
    expect(other.map((text) => matchPattern(pattern, text))).toEqual(other.map(() => false));
  });
});

describe("texts for hostile patterns", () => {
  it.each(["(((((a{1000}){1000}){1000}))))", "(", "[\\d-x]", "(?:a{0}){9}", "(?=a)b", "x{100000}", "^\\p{Nonsense}$"])(
    "%s are few and soon found",
    (source) => {
      const texts = [...matchingTexts(patternOf(source), [5000]), ...otherTexts(patternOf(source))];
      for (const text of texts) expect(text.length).toBeLessThan(20_000);
    },
  );

  it("are only such as the guard's engine agrees with", () => {
    expect(matchingTexts(patternOf("^a\\Bb$"))).toEqual(["ab"]);
    expect(matchingTexts(patternOf("^a\\bb$"))).toEqual([]);
  });

  it("have none where everything matches", () => {
    expect(otherTexts(patternOf(""))).toEqual([]);
  });
});
