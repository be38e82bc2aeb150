import { all, any, atom, type Formula, type Linear, not, type Relation } from "../../../src/analysis/linear/formula.js";
import { type Fraction, fraction } from "../../../src/analysis/linear/fraction.js";
import type { Random } from "../../support/random.js";

/** A random question: a formula on a few numbers. */
export interface Question {
  readonly variables: number;
  readonly formula: Formula;
}

const RELATIONS: readonly Relation[] = ["<", "<=", "<=", "<=", "=", "!=", "whole", "broken"];

function number(random: Random, isPlain: boolean): Fraction {
  const top = BigInt(random.below(21) - 10);
  return isPlain ? { top, over: 1n } : fraction(top, random.pick([1n, 1n, 1n, 2n, 4n, 10n]));
}

function sum(random: Random, variables: number, isPlain: boolean): Linear {
  const terms = new Map<number, Fraction>();
  for (let at = 0; at < variables; at++) {
    const factor = number(random, isPlain);
    if (random.below(3) > 0 && factor.top !== 0n) terms.set(at, factor);
  }
  return { terms, constant: number(random, isPlain) };
}

function formula(random: Random, variables: number, depth: number, isPlain: boolean): Formula {
  const kind = depth === 0 ? 0 : random.below(5);
  if (kind < 3) return atom(sum(random, variables, isPlain), random.pick(RELATIONS));
  const of = Array.from({ length: 2 + random.below(2) }, () => formula(random, variables, depth - 1, isPlain));
  const made = kind === 3 ? any(of) : all(of);
  return random.below(4) === 0 ? not(made) : made;
}

/** Every variable is between -bound and bound, and whole if wanted. */
export function within(variables: number, bound: number, isWhole: boolean): readonly Formula[] {
  const limit = { top: BigInt(bound), over: 1n };
  return Array.from({ length: variables }, (_, at) => {
    const side = (sign: bigint): Linear => ({
      terms: new Map([[at, { top: sign, over: 1n }]]),
      constant: { top: -limit.top, over: 1n },
    });
    const whole = isWhole
      ? [
          atom(
            {
              terms: new Map([[at, { top: 1n, over: 1n }]]),
              constant: { top: 0n, over: 1n },
            },
            "whole",
          ),
        ]
      : [];
    return all([atom(side(1n), "<="), atom(side(-1n), "<="), ...whole]);
  });
}

export function questionFrom(random: Random, isPlain = false): Question {
  const variables = 1 + random.below(4);
  const parts = Array.from({ length: 1 + random.below(5) }, () => formula(random, variables, 2, isPlain));
  return { variables, formula: all(parts) };
}
