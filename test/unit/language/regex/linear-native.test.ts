import type { AST } from "@eslint-community/regexpp";
import { describe, expect, it } from "vitest";
import { codePointsOf } from "../../../../src/base/character-set.js";
import { isLinearNative } from "../../../../src/base/linear-native.js";
import { readPattern } from "../../../../src/language/regex/read-pattern.js";
import { fc } from "../../../support/fast-check.js";

type Step =
  | { readonly kind: "character"; readonly accepts: (codePoint: number) => boolean }
  | { readonly kind: "assertion"; readonly holds: (text: readonly number[], at: number) => boolean }
  | { readonly kind: "split"; readonly first: number; readonly second: number }
  | { readonly kind: "jump"; readonly to: number }
  | { readonly kind: "match" };

describe("isLinearNative", () => {
  it.each([
    "(a+)+$",
    "(a|a)*b",
    "(a|aa)+$",
    "a*a*b",
    "x*y",
    "^(a|b|ab)*c$",
    "\\s+$",
    "^(\\w+\\s?)*$",
    "^(a?)*$",
    "^(?:a?){9}$",
    "^(?:a?)?$",
    "^(?:|)(?:|)$",
    "^(?:a|)(?:a|b)$",
    "^[a-z]*[b-y]$",
    "^.*,$",
    "^\\d+\\d$",
    "^\\D*[^a]$",
    "^\\p{L}*\\p{Lu}$",
    "^[\u{1f600}-\u{1f64f}]*\u{1f601}$",
    "^a{1,2}a$",
    "^(?:ab?){2}b$",
    "^(?:a{2,3}){2}$",
    "^(?:a+b?)+$",
    "(?:^|,)a*b",
    "^a|b*c",
    "(?:^a)*b",
    "(?:^)?a*b",
    "a*^b",
    "(?:a*^)b",
    "a{257}",
    "a{1,300}b",
    "[]a",
    "^a{0}$",
    "a\\Bb",
    "^a{70000}$",
    `^(?:${"(a)|".repeat(16)}b)*$`,
    `^(?:${range("一", 257, "|")})$`,
    `^${range("一", 257, "?")}$`,
    `(?:${range("一", 50, "|")}){51}`,
    `a${"\\b".repeat(2000)}`,
    "(?=a)",
    "(a)\\1",
  ])("does not leave %s to the native engine", (source) => {
    expect(isLinear(source)).toBe(false);
  });

  it.each([
    "",
    "^",
    "a",
    "a|b",
    "^a*$",
    "^a*",
    "a*",
    "ab+",
    "a(?:bc){2,}",
    "a(?:b*c)*",
    "^a*b*c*$",
    "^(?:a|)b$",
    "^(?:a+,)*$",
    "^(?:a*?,)*?$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^\\d{2}\\d{2}$",
    "^[^@\\s]+@[^@.\\s]+\\.[a-z]+$",
    "^\\s*\\S+$",
    "^\\p{L}+$",
    "^[\u{1f600}-\u{1f64f}]*a$",
    "^(?:a|(?:b|c)d)*$",
    "(?:^|,)a",
    "(?:^a|^b)c*d",
    "^a|b$",
    "\\ba\\b",
    "[^]",
    "a{256}",
    "a{1,255}b",
    "^a{1,5000}b$",
    `^(?:${range("一", 200, "|")})$`,
  ])("leaves %s to the native engine", (source) => {
    expect(isLinear(source)).toBe(true);
  });

  it.each(["^(a+)+$", "^(a|aa)+$", "^a*a*b", "a*y", "^(a|b|ab)*c$", "\\s+$", "^(\\w+\\s?)*$"])(
    "sees, by its own step count, that %s is not linear",
    (source) => {
      expect(hostileTexts.concat(" ".repeat(900)).some((text) => takesTooManySteps(parse(source), `${text}.`))).toBe(
        true,
      );
    },
  );

  it("takes only patterns whose number of steps grows linearly with the text", () => {
    fc.assert(
      fc.property(patterns, (source) => {
        const pattern = parse(source);
        if (!isLinearNative(pattern)) return;
        for (const text of hostileTexts) {
          if (takesTooManySteps(pattern, text)) throw new Error(`superlinear on ${text.slice(0, 20)}…`);
        }
      }),
      { numRuns: 6000 },
    );
  });

  it.each([
    ["^(?:(a)|(b)|(c)|(d)|(e)|(f)|(g)|(h)|(i)|(j))*$", "j"],
    [`^(?:${range("一", 15, "?")}X)*$`, "X"],
    ["^(?:(?:(?:[ab]{1,9}c){1,9}d){1,9}e)*$", "acde"],
    ["^(?:[^,]+,)*$", "€,"],
    ["^\\p{L}*$", "\u{10400}"],
  ])("takes %s, which V8 runs on a text of 100,000 characters without overflowing its stack", (source, round) => {
    expect(isLinear(source)).toBe(true);
    const text = round.repeat(100_000 / round.length);
    expect(new RegExp(source, "u").test(text)).toBe(true);
    expect(new RegExp(source, "u").test(`${text}\n!`)).toBe(false);
  });
});

const letter = fc.constantFrom("a", "a", "b", "c");
const atom = fc.oneof(
  { weight: 6, arbitrary: letter },
  { weight: 2, arbitrary: fc.constantFrom("[ab]", "[^a]", "[^ab]", ".", "\\w", "😀", "[😀-😃]", "\\p{Lu}") },
  { weight: 1, arbitrary: fc.constantFrom("\\b", "$", "^") },
);
const count = fc.constantFrom("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}");
const { choice } = fc.letrec<{ choice: string; sequence: string; part: string }>((tie) => ({
  choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((branches) => branches.join("|")),
  sequence: fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: atom },
    { weight: 3, arbitrary: fc.tuple(letter, count).map((pair) => pair.join("")) },
    { weight: 4, arbitrary: fc.tuple(tie("choice"), count).map(([body, times]) => `(?:${body})${times}`) },
    { weight: 1, arbitrary: tie("choice").map((body) => `(${body})`) },
  ),
}));
/** Half of them anchored, so that many are native. */
const patterns = fc
  .tuple(fc.constantFrom("", "^"), choice, fc.constantFrom("", "$", "!"))
  .map(([start, body, end]) => (body.includes("|") ? `${start}(?:${body})${end}` : `${start}${body}${end}`));

/** Words over the alphabet of the patterns, repeated as often as a superlinear pattern needs to show itself. */
const hostileTexts = ["a", "b", "c", "ab", "ba", "ac", "aab", "aba", "abb", "abc", "A", "😀"].flatMap((round) =>
  ["", "!", "a"].map((tail) => `${round.repeat(300)}${tail}`),
);

function range(first: string, size: number, separator: string): string {
  const start = first.codePointAt(0) ?? 0;
  const letters = Array.from({ length: size }, (_, index) => String.fromCodePoint(start + 2 * index));
  return separator === "?" ? letters.map((one) => `${one}?`).join("") : letters.join(separator);
}

function parse(source: string): AST.Pattern {
  const result = readPattern(source);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.pattern;
}

function isLinear(source: string): boolean {
  return isLinearNative(parse(source));
}

/** Whether a plain backtracking search takes more steps than a few for each pair of an instruction and a character. */
function takesTooManySteps(pattern: AST.Pattern, text: string): boolean {
  const program: Step[] = [];
  emitChoice(pattern.alternatives, program);
  program.push({ kind: "match" });
  const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const limit = 3 * program.length * (codePoints.length + 1);
  return countSteps(program, codePoints, limit) > limit;
}

/** Leftmost, in the order of preference, from every start position, as RegExp.prototype.test explores. */
function countSteps(program: readonly Step[], text: readonly number[], limit: number): number {
  let steps = 0;
  for (let start = 0; start <= text.length; start++) {
    const pending = [{ pc: 0, at: start }];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (++steps > limit) return steps;
      const { pc, at } = state;
      const step = program[pc];
      if (step === undefined || step.kind === "match") return steps;
      const next = text[at];
      if (step.kind === "split") pending.push({ pc: step.second, at }, { pc: step.first, at });
      else if (step.kind === "jump") pending.push({ pc: step.to, at });
      else if (step.kind === "assertion") step.holds(text, at) && pending.push({ pc: pc + 1, at });
      else if (next !== undefined && step.accepts(next)) pending.push({ pc: pc + 1, at: at + 1 });
    }
  }
  return steps;
}

function emitChoice(branches: readonly AST.Alternative[], program: Step[]): void {
  const exits: number[] = [];
  for (const [index, branch] of branches.entries()) {
    const isLast = index === branches.length - 1;
    const split = program.length;
    if (!isLast) program.push({ kind: "match" });
    for (const element of branch.elements) emit(element, program);
    if (isLast) break;
    exits.push(program.length);
    program.push({ kind: "match" });
    program[split] = { kind: "split", first: split + 1, second: program.length };
  }
  for (const exit of exits) program[exit] = { kind: "jump", to: program.length };
}

function emit(node: AST.Element, program: Step[]): void {
  switch (node.type) {
    case "Group":
    case "CapturingGroup":
      emitChoice(node.alternatives, program);
      return;
    case "Quantifier":
      emitQuantifier(node, program);
      return;
    case "Assertion":
      program.push({ kind: "assertion", holds: (text, at) => holds(node, text, at) });
      return;
    case "Character":
    case "CharacterSet":
    case "CharacterClass": {
      const set = codePointsOf(node);
      program.push({ kind: "character", accepts: (point) => set.some(({ from, to }) => from <= point && point <= to) });
      return;
    }
    default:
      throw new Error(`not a supported construct: ${node.type}`);
  }
}

function emitQuantifier(node: AST.Quantifier, program: Step[]): void {
  for (let round = 0; round < node.min; round++) emit(node.element, program);
  const isEndless = node.max === Number.POSITIVE_INFINITY;
  const splits: number[] = [];
  for (let round = node.min; round < (isEndless ? node.min + 1 : node.max); round++) {
    splits.push(program.length);
    program.push({ kind: "match" });
    emit(node.element, program);
  }
  if (isEndless) program.push({ kind: "jump", to: splits[0] ?? 0 });
  const end = program.length;
  for (const split of splits) {
    const body = split + 1;
    program[split] = { kind: "split", first: node.greedy ? body : end, second: node.greedy ? end : body };
  }
}

function holds(node: AST.Assertion, text: readonly number[], at: number): boolean {
  if (node.kind === "start") return at === 0;
  if (node.kind === "end") return at === text.length;
  if (node.kind !== "word") throw new Error(`not a supported construct: ${node.kind}`);
  const isWord = (point = -1) => /^\w$/.test(point < 0 ? "" : String.fromCodePoint(point));
  return (isWord(text[at - 1]) !== isWord(text[at])) !== node.negate;
}
