import { describe, expect, it } from "vitest";
import { shownValues } from "../../src/analysis/diff/static/shown-values.js";
import type { CompiledOperator } from "../../src/artifact/compiled-value.js";
import type { RuleBody } from "../../src/artifact/pack-rules.js";
import { judgeOperator } from "../../src/guard/values/judge-value.js";
import { SAMPLE_OPERATORS } from "../support/operator-samples.js";
import { randomFrom } from "../support/random.js";

function rule(operators: readonly CompiledOperator[], name = "order"): RuleBody {
  const path = { kind: "definite", text: `$.${name}`, steps: [name] } as const;
  return { kind: "input_invariant", at: { file: "a.yaml", line: 1 }, path, operators: [...operators] };
}

const regex = (source: string): CompiledOperator => ({ op: "regex", pattern: { engine: "native", source } });

describe("values that show a change", () => {
  it.each([
    [[regex("^ORD-[0-9]{3}$")], [regex("^ORD-[0-9]{3,4}$")], '"ORD-1111"', null],
    [[regex("^[a-z]+$")], [regex("^[a-y]+[0-9]?$")], '"a1"', '"z"'],
    [[{ op: "lte", value: 500 }], [{ op: "lt", value: 500 }], null, "500"],
    [[{ op: "one_of", values: ["eur", "usd"] }], [{ op: "one_of", values: ["eur", "chf"] }], '"chf"', '"usd"'],
    [[{ op: "exists", value: true }], [{ op: "type", value: "integer" }], null, '""'],
    [[{ op: "equals", value: null }], [{ op: "exists", value: false }], "no value", null],
    [[{ op: "equals_env", name: "A" }], [{ op: "equals_env", name: "B" }], null, null],
  ] as const)("%j before, %j now", (before, after, accepted, refused) => {
    const shown = shownValues(rule(before), rule(after));
    expect(shown).toEqual(accepted === null && refused === null ? null : { path: "$.order", accepted, refused });
  });

  it("are none for rules at several paths", () => {
    const one = rule([{ op: "lte", value: 5 }]);
    expect(shownValues(one, rule([{ op: "lte", value: 6 }], "other"))).toBeNull();
  });

  it("are judged so by the guard", () => {
    const random = randomFrom(18);
    let count = 0;
    for (let run = 0; run < 3_000; run++) {
      const [before, after] = [0, 1].map(() => [random.pick(SAMPLE_OPERATORS), random.pick(SAMPLE_OPERATORS)]);
      if (before === undefined || after === undefined) continue;
      const { accepted = null, refused = null } = shownValues(rule(before), rule(after)) ?? {};
      const accepts = (operators: readonly CompiledOperator[], text: string) =>
        operators.every((operator) => judgeOperator(operator, JSON.parse(text), new Map()) === true);
      for (const [text, has, lacks] of [
        [accepted, after, before],
        [refused, before, after],
      ] as const) {
        if (text === null || text === "no value") continue;
        count += 1;
        expect([text, has, accepts(has, text), lacks, accepts(lacks, text)]).toEqual([text, has, true, lacks, false]);
      }
    }
    expect(count).toBeGreaterThan(1_000);
  });
});
