import { describe, expect, it } from "vitest";
import { seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { compareEvaluators, type Evaluator } from "./compare/compare.js";
import { loadMutant } from "./compare/load-mutant.js";
import { MUTANTS } from "./compare/mutants.js";
import { evaluateByGuard } from "./guard-evaluator.js";
import { evaluateByReference } from "./model.js";

const SEED = seedOf("EXPRESSION_SEED", 1);
const CASES = sizeOf("EXPRESSION_CASES", { share: 2_000, full: 100_000 });
/** Until a fault is found; the rarest takes most of them. */
const MUTANT_CASES = 60_000;
const FAULTS = sizeOf("EXPRESSION_FAULTS", { share: 6, full: 23 });
const TRIED = MUTANTS.filter((_, at) => at % Math.ceil(MUTANTS.length / FAULTS) === 0);

/** Evaluators that have to give the answers of the reference; the reference itself shows that a run is repeatable. */
const OTHERS: readonly (readonly [string, Evaluator])[] = [
  ["itself", evaluateByReference],
  ["the guard", evaluateByGuard],
];

describe("the reference of expressions", () => {
  it.each(OTHERS)(
    "gives the same answers as %s, of every kind",
    (_, other) => {
      const pair = { reference: evaluateByReference, other };
      const { compared, refused, perAnswer, difference } = compareEvaluators(pair, { seed: SEED, cases: CASES });
      expect(difference?.text ?? "no difference").toBe("no difference");
      console.info({ compared, refused, ...Object.fromEntries(perAnswer) });
      expect(refused).toBeLessThan(CASES / 12);
      const rare = (["true", "false", "unjudgeable", "awaited"] as const).filter(
        (answer) => (perAnswer.get(answer) ?? 0) < CASES / 30,
      );
      expect(rare).toEqual([]);
    },
    Math.max(600_000, 5 * CASES),
  );

  it.each(TRIED.map((mutant) => [mutant.what, mutant] as const))(
    "differs from one with a fault: %s",
    async (_, mutant) => {
      const other = await loadMutant(mutant);
      const pair = { reference: evaluateByReference, other };
      const { compared, difference } = compareEvaluators(pair, { seed: SEED, cases: MUTANT_CASES });
      expect(difference, `${compared} cases`).not.toBeNull();
      expect(difference?.small.text.length).toBeLessThan(120);
      console.info(`${mutant.what}: ${compared} cases, ${difference?.small.text}`);
    },
    300_000,
  );
});
