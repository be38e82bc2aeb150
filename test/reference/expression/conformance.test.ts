import { describe, expect, it } from "vitest";
import { evaluateByModel, evaluateByRealGuard } from "./conformance/model.js";
import { report } from "./conformance/report.js";
import type { Evaluate } from "./conformance/run.js";

/** Every evaluator of the language; all have to end the cases of the public suite in the same way. */
const EVALUATORS: readonly (readonly [string, Evaluate])[] = [
  ["the reference", evaluateByModel],
  ["the guard", evaluateByRealGuard],
];

describe.each(EVALUATORS)("the public cases of CEL, by %s", (_, evaluate) => {
  const { cases, agreed, deviating, outside, unclassified, misclassified } = report(evaluate);

  it("agree, deviate by design or are outside of the language, each for a reason that is listed", () => {
    expect(unclassified).toEqual([]);
    expect(misclassified).toEqual([]);
  });

  it("are as many as the documents say", () => {
    const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);
    const counts = { cases, agreed, deviating: total(deviating), outside: total(outside) };
    console.info(counts, Object.fromEntries(deviating), Object.fromEntries(outside));
    expect(counts).toEqual({ cases: 2344, agreed: 795, deviating: 25, outside: 1524 });
  });
});

describe("a case that ends in another way than its class says", () => {
  it("is reported", () => {
    const wrong: Evaluate = (text, args) => (text.startsWith("(0\n)") ? "false" : evaluateByModel(text, args));
    expect(report(wrong).unclassified).toEqual([
      "basic/self_eval_zeroish/self_eval_int_zero: 0: wanted true == 0, got false",
    ]);
    const exact: Evaluate = (text, args) => (text.includes("-(5u)") ? "unjudgeable" : evaluateByModel(text, args));
    expect(report(exact).misclassified).toEqual(["integer_math/uint64_math/negative_no_overload"]);
  });
});
