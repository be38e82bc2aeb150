import { afterAll, beforeAll, expect, it } from "vitest";
import { type Bool, type Context, init } from "z3-solver";
import type { Formula, Linear } from "../../../src/analysis/linear/formula.js";
import type { Fraction } from "../../../src/analysis/linear/fraction.js";
import { Solver } from "../../../src/analysis/linear/solver.js";
import { randomFrom } from "../../support/random.js";
import { seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { isTrue } from "./judged.js";
import { questionFrom } from "./random-question.js";

type Z3 = Context<"linear">;
type Api = Awaited<ReturnType<typeof init>>;

const QUESTIONS = sizeOf("LINEAR_QUESTIONS", { share: 200, full: 12_000 });
let api: Api;

beforeAll(async () => {
  api = await init();
});

afterAll(() => {
  api.em.PThread?.terminateAllThreads?.();
});

const text = ({ top, over }: Fraction) => `${top}/${over}`;

function sumIn(z3: Z3, { terms, constant }: Linear) {
  let sum = z3.Real.val(text(constant)).add(0);
  for (const [at, factor] of terms) sum = sum.add(z3.Real.const(`x${at}`).mul(z3.Real.val(text(factor))));
  return sum;
}

function conditionIn(z3: Z3, formula: Formula): Bool<"linear"> {
  if (typeof formula === "boolean") return z3.And(z3.Bool.val(formula));
  if (formula.kind === "all") return z3.And(...formula.of.map((each) => conditionIn(z3, each)));
  if (formula.kind === "any") return z3.Or(...formula.of.map((each) => conditionIn(z3, each)));
  const sum = sumIn(z3, formula.sum);
  switch (formula.relation) {
    case "<":
      return sum.lt(0);
    case "<=":
      return sum.le(0);
    case "=":
      return sum.eq(0);
    case "!=":
      return z3.Not(sum.eq(0));
    case "whole":
      return z3.IsInt(sum);
    case "broken":
      return z3.Not(z3.IsInt(sum));
  }
}

it(`agrees with z3 on ${QUESTIONS} random questions`, {
  timeout: 1_200_000,
}, async () => {
  const z3 = api.Context("linear");
  const random = randomFrom(seedOf("LINEAR_SEED", 183));
  const counts = { sat: 0, unsat: 0, unknown: 0, cut: 0 };
  for (let run = 0; run < QUESTIONS; run++) {
    const { variables, formula } = questionFrom(random);
    const own = new Solver(variables, 2000);
    const answer = own.add(formula);
    if (answer === "cut") {
      counts.cut += 1;
      continue;
    }
    if (answer === "found") expect(isTrue(formula, own.values(variables)), `question ${run}`).toBe(true);
    const other = new z3.Solver();
    other.set("timeout", 5000);
    other.add(conditionIn(z3, formula));
    const judged = await other.check();
    counts[judged] += 1;
    if (judged !== "unknown") expect(answer === "found" ? "sat" : "unsat", `question ${run}`).toBe(judged);
  }
  expect(counts.cut + counts.unknown).toBeLessThan(QUESTIONS / 50);
  expect(Math.min(counts.sat, counts.unsat)).toBeGreaterThan(QUESTIONS / 20);
});
