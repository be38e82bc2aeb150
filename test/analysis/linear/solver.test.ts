import { describe, expect, it } from "vitest";
import {
  all,
  any,
  atom,
  constantOf,
  type Formula,
  scaled,
  subtracted,
  variable,
} from "../../../src/analysis/linear/formula.js";
import { exactly, type Fraction, numberOf } from "../../../src/analysis/linear/fraction.js";
import { plainValues, Solver } from "../../../src/analysis/linear/solver.js";
import { randomFrom } from "../../support/random.js";
import { seedOf } from "../../support/seed.js";
import { isTrue } from "./judged.js";
import { questionFrom, within } from "./random-question.js";

const number = (value: number) => constantOf(exactly(value));
const atMost = (at: number, bound: number) => atom(subtracted(variable(at), number(bound)), "<=");
const atLeast = (at: number, bound: number) => atom(subtracted(number(bound), variable(at)), "<=");
const below = (at: number, bound: number) => atom(subtracted(variable(at), number(bound)), "<");
const is = (at: number, value: number) => atom(subtracted(variable(at), number(value)), "=");
const whole = (at: number) => atom(variable(at), "whole");
/** One variable at most so many times another. */
const times = (at: number, factor: number, of: number) =>
  atom(subtracted(variable(at), scaled(variable(of), exactly(factor))), "<=");
const sum = (count: number, factor = 1) => ({
  terms: new Map(Array.from({ length: count }, (_, at) => [at, exactly(factor)] as const)),
  constant: exactly(0),
});

/** The answer, with values where there are some; each as it was, 0, or plain. */
function solved(variables: number, parts: readonly Formula[]): string | readonly number[] {
  const solver = new Solver(variables, 500);
  const answer = solver.add(all(parts));
  if (answer !== "found") return answer;
  for (let at = 0; at < variables; at++) {
    const value: Fraction = solver.values(variables)[at] ?? exactly(0);
    solver.prefer(at, [exactly(0), ...plainValues(value)]);
  }
  const values = solver.values(variables);
  expect(isTrue(all(parts), values)).toBe(true);
  return values.map(numberOf);
}

describe("solving linear conditions", () => {
  it.each<[string, number, readonly Formula[], string | readonly number[]]>([
    ["nothing asked", 1, [], [0]],
    ["a bound", 1, [atLeast(0, 5)], [5]],
    ["a strict bound", 1, [below(0, 5), atLeast(0, 4)], [4]],
    ["an empty range", 1, [below(0, 5), atLeast(0, 5)], "none"],
    ["between two whole numbers", 1, [below(0, 5), atom(subtracted(number(4), variable(0)), "<")], [4.2]],
    ["no whole number between", 1, [below(0, 5), atom(subtracted(number(4), variable(0)), "<"), whole(0)], "none"],
    [
      "a chain of tolerances",
      4,
      [is(0, 100), times(1, 1.1, 0), times(2, 1.1, 1), times(3, 1.1, 2), atLeast(3, 133.1)],
      [100, 110, 121, 133.1],
    ],
    [
      "a chain that is too short",
      4,
      [is(0, 100), times(1, 1.1, 0), times(2, 1.1, 1), times(3, 1.1, 2), atLeast(3, 133.2)],
      "none",
    ],
    [
      "a sum of whole numbers",
      3,
      [
        atom(subtracted(sum(3), number(7)), "="),
        atMost(0, 3),
        atMost(1, 3),
        atLeast(2, 2),
        whole(0),
        whole(1),
        whole(2),
        atLeast(0, 0),
        atLeast(1, 0),
      ],
      [0, 0, 7],
    ],
    [
      "an even sum that is odd",
      2,
      [
        whole(0),
        whole(1),
        atom(subtracted(sum(2, 2), number(7)), "="),
        atLeast(0, 0),
        atMost(0, 50),
        atLeast(1, 0),
        atMost(1, 50),
      ],
      "none",
    ],
    ["another number", 1, [atLeast(0, 0), atMost(0, 0), atom(variable(0), "!=")], "none"],
    ["one of two", 1, [any([is(0, 3), is(0, 8)]), atLeast(0, 4)], [8]],
    ["not whole", 1, [atLeast(0, 2), atom(variable(0), "broken"), atMost(0, 3)], [2.5]],
  ])("%s", (_, variables, parts, expected) => {
    expect(solved(variables, parts)).toEqual(expected);
  });

  it("says where it gave up", () => {
    // 2x - 2y = 1 has whole values nowhere, and no bounds end the search.
    const odd = {
      terms: new Map([
        [0, exactly(2)],
        [1, exactly(-2)],
      ]),
      constant: exactly(-1),
    };
    expect(solved(2, [whole(0), whole(1), atom(odd, "=")])).toBe("cut");
  });

  it("agrees with the enumeration of small whole numbers", () => {
    const random = randomFrom(seedOf("LINEAR_SEED", 181));
    const counts = { none: 0, found: 0, cut: 0 };
    for (let run = 0; run < 800; run++) {
      const { variables, formula } = questionFrom(random, true);
      const parts = [formula, ...within(variables, 2, true)];
      const answer = new Solver(variables, 2000).add(all(parts));
      counts[answer] += 1;
      let isPossible = false;
      for (let code = 0; code < 5 ** variables && !isPossible; code++) {
        const values = Array.from({ length: variables }, (_, at) => exactly((Math.floor(code / 5 ** at) % 5) - 2));
        isPossible = isTrue(all(parts), values);
      }
      if (answer !== "cut") expect(answer, `run ${run}`).toBe(isPossible ? "found" : "none");
    }
    expect(counts.cut).toBeLessThan(10);
    expect(Math.min(counts.none, counts.found)).toBeGreaterThan(100);
  });

  it("gives values that hold, also after some were changed to plainer ones", () => {
    const random = randomFrom(seedOf("LINEAR_SEED", 182));
    for (let run = 0; run < 600; run++) {
      const { variables, formula } = questionFrom(random);
      const solver = new Solver(variables, 2000);
      if (solver.add(formula) !== "found") continue;
      expect(isTrue(formula, solver.values(variables)), `run ${run}`).toBe(true);
      for (let at = 0; at < variables; at++)
        solver.prefer(at, [exactly(0), ...plainValues(solver.values(variables)[at] ?? exactly(0))]);
      expect(isTrue(formula, solver.values(variables)), `run ${run}, plainer`).toBe(true);
    }
  });
});
