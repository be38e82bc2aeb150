import { cpuUsage } from "node:process";
import { withinBudget } from "../../../dist/base/cost.js";
import { matchPattern } from "../../../dist/guard/values/match-pattern.js";
import { readAll } from "../../../dist/guard/values/read-path.js";
import { parseJsonPath } from "../../../dist/language/json-path.js";
import { parseRegex } from "../../../dist/language/regex/parse-regex.js";
import { hostileJudgements } from "./hostile-expressions.mjs";

const ROUNDS = 7;
/** The most text that arguments may hold. */
const MOST_TEXT = 2 ** 24;

/** Patterns that keep many states alive, that restart everywhere, or that the native engine tries in many ways. */
const PATTERNS = [
  "a.{0,200}c$",
  "a.{0,1000}c$",
  "(?:a|b)*a(?:a|b){12}$",
  "[ab]{1,1000}!",
  "(?:a?){500}c",
  "(?:a*){400}c",
  "(a+)+$",
  "x*y",
  "\\p{L}+\\p{N}",
  "^(?:[ab]{1,2}-?)*$",
  "^[ab]{1,60000}$",
  "^.{0,5000}$",
  `(?:${Array.from({ length: 200 }, (_, n) => `a{1,5}${String.fromCharCode(99 + (n % 20))}`).join("|")})$`,
  "abababababababababababababababc",
  "secret",
  `^[aé€${Array.from({ length: 2000 }, (_, n) => String.fromCodePoint(0x3000 + 3 * n)).join("")}]*$`,
];

/** Letters in an order that no automaton foresees. */
function letters(count, alphabet) {
  let state = 12_345;
  const units = [];
  for (let at = 0; at < count; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    units.push(alphabet[(state >> 16) % alphabet.length]);
  }
  return units.join("");
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/**
 * Milliseconds of one judgement within its budget: the first, when its code is still cold, and the median of those after it.
 * Time of the processor, which is what a judgement takes where it has one to itself.
 */
function timeOf(judge) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = cpuUsage();
    withinBudget(judge, () => null);
    const { user, system } = cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return { first: times[0], later: median(times.slice(1)) };
}

function nested(levels) {
  let value = { b: 1 };
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

function worst(times) {
  return { first: Math.max(...times.map(({ first }) => first)), later: Math.max(...times.map(({ later }) => later)) };
}

export function measure() {
  const texts = [
    letters(256, "ab"),
    letters(10_000, "ab"),
    letters(1_000_000, "ab"),
    "ab".repeat(MOST_TEXT / 2),
    letters(100_000, "aé€"),
    letters(300_000, "aé€"),
    "a😀".repeat(300_000),
  ];
  const patterns = PATTERNS.map((source) => {
    const result = parseRegex(source);
    if (!result.ok) throw new Error(`the pattern ${source} is not accepted`);
    const { pattern } = result;
    return {
      name: source,
      engine: pattern.engine,
      ...worst(texts.map((text) => timeOf(() => matchPattern(pattern, text)))),
    };
  });
  const documents = {
    "objects side by side": Array.from({ length: 60_000 }, (_, n) => ({ a: { b: n % 5 } })),
    "objects in each other": Array.from({ length: 1500 }, () => nested(60)),
    "one wide object": Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`key ${n}`, n])),
    "600 bytes in each other": nested(95),
  };
  const paths = Object.entries(documents).map(([name, document]) => {
    const all = ["$..a..a..a..a..b", "$..*..*..*..*", "$..a"].map((text) => parseJsonPath(text).path);
    return { name, ...worst(all.map((path) => timeOf(() => readAll(path, document)))) };
  });
  const expressions = hostileJudgements().map(({ name, judge }) => ({ name, ...timeOf(judge) }));
  return { patterns, paths, expressions };
}
