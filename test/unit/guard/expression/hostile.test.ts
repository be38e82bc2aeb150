import { describe, expect, it } from "vitest";
import type { Expression } from "../../../../src/artifact/expression.js";
import { MOST_WORK, withinBudget, workDone } from "../../../../src/base/cost.js";
import { isJsonObject, type JsonObject } from "../../../../src/base/json.js";
import { prepareExpression } from "../../../../src/guard/expression/evaluate.js";
import { plainJson } from "../../../../src/guard/values/plain-json.js";
import { judged, type Setting } from "./evaluating.js";

/** Far more than any judgement takes: some 30 ms, whatever the arguments are. */
const HANG_MS = 20_000;

const many = (count: number) => Array.from({ length: count }, (_, n) => n);
const deep = (levels: number) => many(levels).reduce<JsonObject>((inner) => ({ a: inner }), {});
const wide = (count: number) => Object.fromEntries(many(count).map((n) => [`key ${n}`, n]));

const BIG = "a".repeat(1_000_000);
const nested = "args.l.all(a, args.l.all(b, args.l.all(c, a + b + c >= 0)))";

/** An answer under a budget of its own, and the work that it took. */
function within(text: string, setting: Setting): { readonly answer: string; readonly work: number } {
  const before = workDone();
  const answer = withinBudget(
    () => judged(text, setting),
    () => "too costly",
  );
  return { answer, work: workDone() - before };
}

type Row = readonly [what: string, text: string, args: () => NonNullable<Setting["args"]>, answer: RegExp];

const ROWS: readonly Row[] = [
  ["three nested comprehensions", nested, () => ({ l: many(1000) }), /steps$/],
  ["a comprehension over a million items", "args.l.exists(x, x < 0)", () => ({ l: many(1_000_000) }), /steps$/],
  [
    "lists that grow",
    "args.l.map(a, args.l.map(b, args.l)).size() > 1",
    () => ({ l: many(300) }),
    /^true|too costly|steps$/,
  ],
  ["a range of a billion", "lists.range(args.n).size() > 1", () => ({ n: 1e9 }), /steps$/],
  ["a range without an end", "lists.range(args.n).size() > 1", () => ({ n: 1e300 }), /steps$/],
  ["a long range many times", "args.l.map(x, lists.range(1000)).size() > 1", () => ({ l: many(1000) }), /steps$/],
  ["texts that grow", `args.l.map(x, args.t + args.t).size() > 1`, () => ({ l: many(10_000), t: BIG }), /^too costly$/],
  [
    "long texts that differ at their end",
    "args.l.exists(x, args.t == x)",
    () => ({ t: `00${BIG}`, l: many(14).map((n) => `${n}`.padEnd(2) + BIG) }),
    /^false|too costly/,
  ],
  [
    "a pattern that backtracks",
    "args.t.matches(r'^(a+)+$')",
    () => ({ t: `${"a".repeat(100_000)}b` }),
    /^false|too costly/,
  ],
  [
    "a pattern on many texts",
    "args.l.all(x, args.t.matches(r'(a|aa)+b'))",
    () => ({ t: "a".repeat(20_000), l: many(5000) }),
    /^false|too costly/,
  ],
  [
    "a part that begins everywhere",
    "args.t.contains(args.p)",
    () => ({ t: BIG, p: `${"a".repeat(2000)}b` }),
    /^false|too costly/,
  ],
  [
    "a wide object counted again and again",
    "args.l.all(x, size(args.w) > 1)",
    () => ({ l: many(6), w: wide(50_000) }),
    /^too costly$/,
  ],
  [
    "a wide object of which the first key is enough",
    "args.l.all(x, args.w.exists(k, k == 'a'))",
    () => ({ l: many(6), w: { a: 1, ...Object.fromEntries(many(50_000).map((n) => [`b${n + 100_000}`, n])) } }),
    /^too costly$/,
  ],
  ["long lists joined", "args.l + args.l == args.l + args.l", () => ({ l: many(900_000) }), /^too costly$/],
  [
    "many texts split into characters",
    "args.l.map(x, x.split('')).size() > 1",
    () => ({ l: many(12_000).map((n) => `${"😀".repeat(30)}${n}`) }),
    /^too costly$/,
  ],
  [
    "a long text looked up again and again",
    "args.l.all(x, !(args.t in args.w)) || args.l.all(x, args.w[args.t] == 1)",
    () => ({ l: many(2000), t: "ab".repeat(1_000_000), w: wide(1000) }),
    /^too costly$/,
  ],
  [
    "long texts of the same length told apart",
    "args.m.distinct().size() > 0",
    () => ({ m: many(400).map((n) => `${"a".repeat(17_000)}${n + 1000}`) }),
    /^too costly$/,
  ],
  [
    "wide objects compared",
    "args.l.exists(x, args.w == x)",
    () => ({ w: wide(20_000), l: many(20).map(() => ({ ...wide(20_000), x: 1 })) }),
    /^false|too costly/,
  ],
  [
    "wide objects compared to their end",
    "args.w == args.v",
    () => ({ w: wide(60_000), v: wide(60_000) }),
    /^true|too costly/,
  ],
  ["deep values compared", "args.a == args.b", () => ({ a: deep(90), b: deep(90) }), /^true$/],
  [
    "a long list against a long list",
    "args.l.exists(x, x in args.m)",
    () => ({ l: many(50_000), m: many(50_000).map((n) => -1 - n) }),
    /too costly|steps$/,
  ],
  [
    "many distinct objects",
    "args.l.distinct().size() > 1",
    () => ({ l: many(20_000).map((n) => ({ ...wide(20), n })) }),
    /^true|too costly/,
  ],
  ["a long sum of fractions", "args.l.sum() > 0", () => ({ l: many(900_000).map((n) => n / 7) }), /too costly|digits$/],
  ["a sum of all magnitudes", "args.l.sum() > 0", () => ({ l: many(600).map((n) => 10 ** (n - 300)) }), /digits$/],
  ["a number of a million digits", "double(args.t) > 0", () => ({ t: "9".repeat(1_000_000) }), /^too costly$/],
  ["a far exponent", "double(args.t) > 0", () => ({ t: "1e999999" }), /^true$/],
  [
    "far exponents together",
    "double(args.t) + 1 > double(args.t) * double(args.t)",
    () => ({ t: "1e999999" }),
    /digits$/,
  ],
  ["a far exponent as text", "string(double(args.t)).size() > 1", () => ({ t: "1e-999999" }), /^true$/],
  [
    "products that grow",
    "args.l.map(x, args.n * args.n * args.n).size() > 1",
    () => ({ n: 1e-300 * 1.1, l: many(5000) }),
    /digits$/,
  ],
  [
    "divisions of long numbers",
    "args.l.map(x, 1 / (x * 1048576 + 1048576)).size() > 1",
    () => ({ l: many(20_000) }),
    /digits$|too costly/,
  ],
  [
    "times in many zones",
    "args.l.all(x, now.getHours(x) >= 0)",
    () => ({ l: many(50_000).map((n) => `Etc/GMT+${n}`) }),
    /zone$|too costly/,
  ],
  [
    "times of many moments",
    "args.l.all(x, (now + duration(x)).getHours('America/New_York') >= 0)",
    () => ({ l: many(50_000).map((n) => `${n * 20}m`) }),
    /^true|too costly|steps$/,
  ],
  [
    "local times of many years",
    "args.l.all(x, timestamp(x).getHours() >= 0)",
    () => ({ l: many(50_000).map((n) => `${1000 + (n % 2000)}-02-03T04:05:06`) }),
    /^true|too costly|steps$/,
  ],
  ["a text split everywhere", "args.t.split('').size() > 1", () => ({ t: BIG }), /^true|too costly/],
  ["a text split by letters", "args.t.split('a').size() > 1", () => ({ t: BIG }), /^true|too costly/],
  [
    "a long text in lower case",
    "args.t.lowerAscii().size() > 1",
    () => ({ t: "ÄAb".repeat(2_000_000) }),
    /^true|too costly/,
  ],
];

describe("hostile arguments of expressions", () => {
  it.each(ROWS)("%s end within the budget", { timeout: HANG_MS }, (_what, text, args, answer) => {
    const copied = plainJson(args());
    if (!copied.ok || !isJsonObject(copied.value)) throw new Error("no call has such arguments");
    const result = within(text, { args: copied.value, timezone: "America/New_York" });
    expect(result.answer).toMatch(answer);
    expect(result.work).toBeLessThanOrEqual(MOST_WORK);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("never read the inherited %s", (name) => {
    expect(judged(`has(args["${name}"].x)`.replace(`["${name}"]`, `.${name}`), { args: {} })).toMatch(/is missing$/);
    expect(judged(`"${name}" in args.m`, { args: { m: {} } })).toMatch(/^false/);
    expect(judged(`args.m["${name}"] == 1`, { args: { m: {} } })).toMatch(/is missing$/);
  });

  it("reads own members with such names", () => {
    const args = JSON.parse('{ "m": { "__proto__": 1, "constructor": 2 } }');
    expect(judged('args.m["__proto__"] == 1 && args.m.constructor == 2', { args })).toBe("true");
    expect(judged('args.m == {"constructor": 2, "__proto__": 1}', { args })).toBe("true");
  });
});

describe("an expression of an artifact that no compiler wrote", () => {
  const context = { constants: {}, timezone: null, slots: new Map() };

  it("is refused if it is too large or too deep", () => {
    const deepTree = many(100_000).reduce<Expression>((of) => ({ kind: "not", of }), { kind: "literal", value: true });
    const wideTree: Expression = { kind: "list", items: many(500).map((n) => ({ kind: "number", text: `${n}` })) };
    for (const tree of [deepTree, wideTree])
      expect(() => prepareExpression({ text: "x", tree }, context)).toThrow("an expression that is too large");
  });

  it("is refused in a time zone that is not known", () => {
    const tree: Expression = { kind: "literal", value: true };
    expect(() => prepareExpression({ text: "true", tree }, { ...context, timezone: "Mars/Olympus" })).toThrow(
      'the time zone of the pack is not known here: "Mars/Olympus"',
    );
  });
});

describe("an expression of 500 parts", () => {
  const sum = many(160)
    .map(() => "args.n")
    .join(" + ");

  it("is judged without a deep stack", () => {
    expect(judged(`${sum} == 160`, { args: { n: 1 } })).toBe("true");
  });

  it("shows at most five parts of at most 80 characters", () => {
    const names = many(20).map((n) => `args.a_rather_long_name_of_an_argument_${n} == 1`);
    const args = Object.fromEntries(many(20).map((n) => [`a_rather_long_name_of_an_argument_${n}`, BIG]));
    const parts = judged(names.join(" || "), { args }).replace("false: ", "").split("; ");
    expect(parts).toHaveLength(5);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});
