import { inspect } from "node:util";
import { Random } from "../../../differential/generate/random.js";
import { type Case, caseOf } from "../generate/case.js";
import type { Answer, Input } from "../scope.js";
import { shrink } from "./shrink.js";

/** An evaluator of the language; null where it does not accept the text. */
export type Evaluator = (text: string, input: Input) => Answer | null;

/** A case on which two evaluators differ, made small, with the seed that brings the whole case back. */
export interface Difference {
  readonly caseSeed: number;
  readonly small: Case;
  readonly answers: readonly [Answer | null, Answer | null];
  readonly text: string;
}

export interface Comparison {
  readonly compared: number;
  /** Texts that the second evaluator does not accept: a finding of the compiler, not of the comparison. */
  readonly refused: number;
  readonly perAnswer: ReadonlyMap<Answer, number>;
  readonly difference: Difference | null;
}

interface Pair {
  readonly reference: Evaluator;
  readonly other: Evaluator;
}

function answersOf({ reference, other }: Pair, { text, input }: Case): Difference["answers"] {
  return [reference(text, input), other(text, input)];
}

function differ([one, two]: Difference["answers"]): boolean {
  return one !== null && two !== null && one !== two;
}

function explain(pair: Pair, caseSeed: number, found: Case): Difference {
  const small = shrink(found, (candidate) => differ(answersOf(pair, candidate)));
  const answers = answersOf(pair, small);
  const input = inspect(small.input, { depth: null, breakLength: 120 });
  const text = [
    `the evaluators differ: case seed ${caseSeed}, reference ${answers[0]}, other ${answers[1]}`,
    small.text,
    input,
    `before: ${found.text}`,
  ].join("\n");
  return { caseSeed, small, answers, text };
}

/** Compares two evaluators on generated cases, until they differ or there were enough. */
export function compareEvaluators(pair: Pair, { seed, cases }: { seed: number; cases: number }): Comparison {
  const seeds = new Random(seed);
  const perAnswer = new Map<Answer, number>();
  let [compared, refused] = [0, 0];
  while (compared + refused < cases) {
    const caseSeed = seeds.fork();
    const made = caseOf(caseSeed);
    const [own, theirs] = answersOf(pair, made);
    if (own === null) throw new Error(`case seed ${caseSeed} is outside of the language: ${made.text}`);
    if (theirs === null) refused += 1;
    else compared += 1;
    perAnswer.set(own, (perAnswer.get(own) ?? 0) + 1);
    if (!differ([own, theirs])) continue;
    return { compared, refused, perAnswer, difference: explain(pair, caseSeed, made) };
  }
  return { compared, refused, perAnswer, difference: null };
}
