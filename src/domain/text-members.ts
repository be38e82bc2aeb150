import { type Automaton, LengthAutomaton, type Outlook, TooManyStates } from "./automaton.js";
import { type Found, found, NONE, UNSURE } from "./found.js";
import { automataIn, holdsText, judgeFormula, type TextFormula, type Texts } from "./texts.js";

/** Joint states that one question may visit. */
const MOST_VISITED = 20_000;
/** Steps of single automata that one question may take. */
const MOST_STEPS = 2_000_000;
/** Texts that are made are no longer. */
const LONGEST = 100_000;

/** Characters that people like to read, best first. */
const PLAIN = [..."a1A0bBzZ9_-. /:@x~!#"].map((character) => character.codePointAt(0) ?? 0);
const LAST_CODE_POINT = 0x10ffff;

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}

/** How readily a code point is shown: a low number is better. */
function rankOf(codePoint: number): number {
  const plain = PLAIN.indexOf(codePoint);
  if (plain >= 0) return plain;
  if (codePoint > 0x20 && codePoint < 0x7f) return 100;
  if (isSurrogate(codePoint)) return 400;
  return codePoint > 0xa0 ? 200 : 300;
}

/** The code points that may be the best of a range. */
function candidatesIn(from: number, to: number): readonly number[] {
  const inside = PLAIN.filter((codePoint) => codePoint >= from && codePoint <= to);
  return [...inside, ...[from, 0x21, 0xa1, 0xe000].filter((codePoint) => codePoint >= from && codePoint <= to)];
}

/** One code point of each class that the automata distinguish together, the plainest of each, plain ones first. */
function alphabetOf(automata: readonly Automaton[]): readonly number[] {
  const cuts = [...new Set([0, ...automata.flatMap(({ cuts: own }) => own)])].sort((a, b) => a - b);
  const best = new Map<string, number>();
  for (const [at, from] of cuts.entries()) {
    if (from > LAST_CODE_POINT) break;
    const to = (cuts[at + 1] ?? LAST_CODE_POINT + 1) - 1;
    const behaviour = automata.map((automaton) => automaton.classOf(from)).join(",");
    for (const codePoint of candidatesIn(from, to)) {
      const known = best.get(behaviour);
      if (known === undefined || rankOf(codePoint) < rankOf(known)) best.set(behaviour, codePoint);
    }
  }
  return [...best.values()].sort((a, b) => rankOf(a) - rankOf(b));
}

const TRUTH: Readonly<Record<Outlook, boolean | null>> = { all: true, none: false, open: null };

interface Visited {
  readonly states: readonly number[];
  readonly codePoint: number;
  readonly before: Visited | null;
}

function textOf(end: Visited): string {
  const codePoints: number[] = [];
  for (let at: Visited | null = end; at?.before != null; at = at.before) codePoints.push(at.codePoint);
  return codePoints
    .reverse()
    .map((codePoint) => String.fromCodePoint(codePoint))
    .join("");
}

/** Goes through the automata of a formula at once, breadth first. */
class Search {
  private readonly automata: readonly Automaton[];
  private readonly alphabet: readonly number[];
  private steps = 0;

  constructor(private readonly formula: TextFormula) {
    this.automata = automataIn(formula);
    this.alphabet = alphabetOf(this.automata);
  }

  private judge(states: readonly number[], truth: (automaton: Automaton, state: number) => boolean | null) {
    return judgeFormula(this.formula, (automaton) => {
      const at = this.automata.indexOf(automaton);
      return truth(automaton, states[at] ?? 0);
    });
  }

  /** Texts of the set, the shortest first; ends with `UNSURE` where it gives up. */
  *texts(): Generator<Found<string>> {
    const start: Visited = { states: this.automata.map(() => 0), codePoint: 0, before: null };
    const seen = new Set([start.states.join(",")]);
    // States that are added while it runs are visited too.
    const queue = [start];
    try {
      for (const here of queue) {
        if (this.judge(here.states, (automaton, state) => automaton.accepts(state)) === true) yield found(textOf(here));
        for (const next of this.following(here)) {
          const key = next.states.join(",");
          if (seen.has(key)) continue;
          seen.add(key);
          queue.push(next);
        }
        if (seen.size > MOST_VISITED || this.steps > MOST_STEPS) {
          yield UNSURE;
          return;
        }
      }
    } catch (cause) {
      if (!(cause instanceof TooManyStates)) throw cause;
      yield UNSURE;
    }
  }

  /** What may still lead to a text of the set. */
  private *following(here: Visited): Generator<Visited> {
    const isLost = (states: readonly number[]) =>
      this.judge(states, (automaton, state) => TRUTH[automaton.outlook(state)]) === false;
    if (isLost(here.states)) return;
    for (const codePoint of this.alphabet) {
      this.steps += this.automata.length;
      const states = this.automata.map((automaton, at) => automaton.step(here.states[at] ?? 0, codePoint));
      if (!isLost(states)) yield { states, codePoint, before: here };
    }
  }
}

/** A text of a set of lengths only, which takes no search however long it is. */
function ofLengths(texts: Texts): Found<string> | null {
  const automata = automataIn(texts.formula);
  const lengths = automata.filter((automaton) => automaton instanceof LengthAutomaton);
  if (lengths.length < automata.length) return null;
  const ends = lengths.flatMap(({ low, high }) => [low, high + 1]).filter(Number.isFinite);
  for (const length of [0, ...ends].sort((a, b) => a - b)) {
    const holds = judgeFormula(texts.formula, (automaton) => automaton.accepts(length));
    if (holds === true) return length > LONGEST ? UNSURE : found("a".repeat(length));
  }
  return NONE;
}

/** The shortest texts of a set, up to a number, of which no two continue alike. */
export function shortestTexts(texts: Texts, most: number): readonly string[] {
  const all: string[] = [];
  if (texts.listed !== null) return [...texts.listed].slice(0, most);
  for (const member of new Search(texts.formula).texts()) {
    if (member.kind !== "found" || all.length >= most) break;
    if (holdsText(texts, member.value) === true) all.push(member.value);
  }
  return all;
}

/** The shortest text of a set, a plain one where there are several. */
export function someText(texts: Texts): Found<string> {
  if (texts.listed !== null) {
    const [first] = [...texts.listed].sort((a, b) => [...a].length - [...b].length);
    return first === undefined ? NONE : found(first);
  }
  const simple = ofLengths(texts);
  if (simple !== null) return simple;
  let isSure = true;
  for (const member of new Search(texts.formula).texts()) {
    // Two halves of a character that meet are another text than the automata have read.
    if (member.kind === "found" && holdsText(texts, member.value) === true) return member;
    isSure = false;
  }
  return isSure ? NONE : UNSURE;
}
