import {
  type Automaton,
  LengthAutomaton,
  ListAutomaton,
  PartAutomaton,
  stateAfter,
  TooManyStates,
} from "./automaton.js";
import { patternAutomaton } from "./pattern-automaton.js";

/** A condition on texts, made of automata. */
export type TextFormula =
  | { readonly kind: "every"; readonly holds: boolean }
  | { readonly kind: "automaton"; readonly automaton: Automaton }
  | { readonly kind: "not"; readonly of: TextFormula }
  | { readonly kind: "and" | "or"; readonly parts: readonly TextFormula[] };

/** A set of texts. */
export interface Texts {
  readonly formula: TextFormula;
  /** The texts one by one, where a list names them; else null. */
  readonly listed: ReadonlySet<string> | null;
  /** False where it may hold more texts than meant. */
  readonly isExact: boolean;
}

const EVERY: TextFormula = { kind: "every", holds: true };
const NEVER: TextFormula = { kind: "every", holds: false };
export const ALL_TEXTS: Texts = { formula: EVERY, listed: null, isExact: true };
export const NO_TEXTS: Texts = { formula: NEVER, listed: new Set(), isExact: true };

/** More automata in one question take too long; what is left out makes a set larger. */
const MOST_AUTOMATA = 40;

function of(automaton: Automaton): Texts {
  return { formula: { kind: "automaton", automaton }, listed: null, isExact: true };
}

export function textsListed(values: readonly string[]): Texts {
  const listed = new Set(values);
  return listed.size === 0 ? NO_TEXTS : { ...of(new ListAutomaton(listed)), listed };
}

/** Texts with a number of code points in a range of whole numbers. */
export function textsOfLength(low: number, high: number): Texts {
  if (low > high) return NO_TEXTS;
  return low <= 0 && high === Number.POSITIVE_INFINITY ? ALL_TEXTS : of(new LengthAutomaton(low, high));
}

/** Texts that contain a part. Halves of a character are found in whole ones, which automata do not split. */
export function textsWithPart(part: string): Texts {
  if (/\p{Surrogate}/u.test(part)) return { ...ALL_TEXTS, isExact: false };
  return part === "" ? ALL_TEXTS : of(new PartAutomaton(part));
}

/** Texts that a pattern matches. */
export function textsMatching(source: string): Texts {
  const automaton = patternAutomaton(source);
  return automaton === null ? { ...ALL_TEXTS, isExact: false } : of(automaton);
}

export function automataIn(formula: TextFormula): readonly Automaton[] {
  switch (formula.kind) {
    case "every":
      return [];
    case "automaton":
      return [formula.automaton];
    case "not":
      return automataIn(formula.of);
    default:
      return [...new Set(formula.parts.flatMap(automataIn))];
  }
}

/** Whether a formula holds where the truth of an automaton is given; null where that is not known. */
export function judgeFormula(formula: TextFormula, truth: (automaton: Automaton) => boolean | null): boolean | null {
  switch (formula.kind) {
    case "every":
      return formula.holds;
    case "automaton":
      return truth(formula.automaton);
    case "not": {
      const holds = judgeFormula(formula.of, truth);
      return holds === null ? null : !holds;
    }
    default: {
      const decisive = formula.kind === "or";
      let isKnown = true;
      for (const part of formula.parts) {
        const holds = judgeFormula(part, truth);
        if (holds === decisive) return decisive;
        if (holds === null) isKnown = false;
      }
      return isKnown ? !decisive : null;
    }
  }
}

/** Whether a text is in a set; null where an automaton grows too large. */
export function holdsText({ formula, listed }: Texts, text: string): boolean | null {
  if (listed !== null) return listed.has(text);
  return judgeFormula(formula, (automaton) => {
    if (automaton instanceof ListAutomaton) return automaton.texts.has(text);
    try {
      const state = stateAfter(automaton, text);
      const outlook = automaton.outlook(state);
      return outlook === "open" ? automaton.accepts(state) : outlook === "all";
    } catch (cause) {
      if (cause instanceof TooManyStates) return null;
      throw cause;
    }
  });
}

/** The texts of a list that are in another set too, if need be some that may not be. */
function among(listed: ReadonlySet<string>, other: Texts, isExact: boolean): Texts {
  const judged = [...listed].map((text) => ({ text, holds: holdsText(other, text) }));
  const kept = judged.filter(({ holds }) => holds !== false);
  const isSure = kept.every(({ holds }) => holds === true);
  const texts = kept.length === listed.size ? listed : kept.map(({ text }) => text);
  return { ...textsListed([...texts]), isExact: isExact && isSure };
}

/** The parts of an `and`, or of an `or`. */
function partsOf(kind: "and" | "or", formula: TextFormula): readonly TextFormula[] {
  return formula.kind === kind ? formula.parts : [formula];
}

function lengthsIn(parts: readonly TextFormula[]): {
  readonly lengths: LengthAutomaton[];
  readonly others: TextFormula[];
} {
  const lengths: LengthAutomaton[] = [];
  const others: TextFormula[] = [];
  for (const part of parts) {
    if (part.kind === "automaton" && part.automaton instanceof LengthAutomaton) lengths.push(part.automaton);
    else others.push(part);
  }
  return { lengths, others };
}

export function intersectTexts(a: Texts, b: Texts): Texts {
  if (a === ALL_TEXTS || b === NO_TEXTS) return b;
  if (b === ALL_TEXTS || a === NO_TEXTS) return a;
  const isExact = a.isExact && b.isExact;
  if (a.listed !== null) return among(a.listed, b, isExact);
  if (b.listed !== null) return among(b.listed, a, isExact);
  if (a.formula === EVERY) return { ...b, isExact };
  if (b.formula === EVERY) return { ...a, isExact };
  const { lengths, others } = lengthsIn([...partsOf("and", a.formula), ...partsOf("and", b.formula)]);
  const low = lengths.reduce((most, each) => Math.max(most, each.low), 0);
  const high = lengths.reduce((least, each) => Math.min(least, each.high), Number.POSITIVE_INFINITY);
  const length = textsOfLength(low, high);
  if (length.listed !== null || others.length === 0) return { ...length, isExact };
  const kept = [...new Set([...others, ...(lengths.length === 0 ? [] : [length.formula])])];
  const isTooMuch = automataIn({ kind: "and", parts: kept }).length > MOST_AUTOMATA;
  if (isTooMuch) return { formula: a.formula, listed: null, isExact: false };
  return { formula: { kind: "and", parts: kept }, listed: null, isExact };
}

export function uniteTexts(a: Texts, b: Texts): Texts {
  if (a === ALL_TEXTS || b === NO_TEXTS) return a;
  if (b === ALL_TEXTS || a === NO_TEXTS) return b;
  const isExact = a.isExact && b.isExact;
  if (a.listed !== null && b.listed !== null) return { ...textsListed([...a.listed, ...b.listed]), isExact };
  if (a.formula === EVERY || b.listed?.size === 0) return { ...a, isExact };
  if (b.formula === EVERY || a.listed?.size === 0) return { ...b, isExact };
  const parts = [...partsOf("or", a.formula), ...partsOf("or", b.formula)];
  if (automataIn({ kind: "or", parts }).length > MOST_AUTOMATA) return { ...ALL_TEXTS, isExact: false };
  return { formula: { kind: "or", parts }, listed: null, isExact };
}

/** All other texts; where texts are not known exactly, any text may be another. */
export function otherTexts({ formula, isExact }: Texts): Texts {
  if (!isExact) return { ...ALL_TEXTS, isExact: false };
  if (formula.kind === "every") return formula.holds ? NO_TEXTS : ALL_TEXTS;
  if (formula.kind === "not") return { formula: formula.of, listed: null, isExact: true };
  return { formula: { kind: "not", of: formula }, listed: null, isExact: true };
}
