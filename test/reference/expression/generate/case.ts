import { Random } from "../../../differential/generate/random.js";
import type { Input } from "../scope.js";
import { someExpression } from "./expression.js";
import { someInput } from "./input.js";
import { someVocabulary } from "./vocabulary.js";

/** An expression and what it reads. */
export interface Case {
  readonly text: string;
  readonly input: Input;
}

/** Bounds of the language that a generated text keeps well within. */
const MOST_CHARACTERS = 1500;

/** The case of a seed. */
export function caseOf(seed: number): Case {
  const random = new Random(seed);
  const hasOutput = random.chance(0.2);
  const words = someVocabulary(random);
  for (;;) {
    const text = someExpression(random, words, hasOutput);
    if (text.length <= MOST_CHARACTERS) return { text, input: someInput(random, words, hasOutput) };
  }
}
