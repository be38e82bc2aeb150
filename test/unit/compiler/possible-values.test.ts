import { describe, expect, it } from "vitest";
import type { CompiledOperator } from "../../../src/artifact/compiled-value.js";
import type { Json, TypeName } from "../../../src/base/json.js";
import { isPossible, numbersIn } from "../../../src/compiler/facts/possible-values.js";
import type { Tested } from "../../../src/domain/of-operator.js";
import { judgeOperator } from "../../../src/guard/values/judge-value.js";
import { parseRegex } from "../../../src/language/regex/parse-regex.js";
import { SAMPLE_OPERATORS } from "../../support/operator-samples.js";
import { type Random, randomFrom } from "../../support/random.js";
import { seedOf } from "../../support/seed.js";

const SEED = seedOf("POSSIBLE_VALUES_SEED", 7);

const RUNS = 20_000;
const ENV = new Map([["REGION", "ab"]]);

const NUMBERS = [-2, -0.5, 0, 0.5, 1, 1.5, 2, 3];
const TEXTS = ["", "a", "b", "ab", "ABC", "😀"];
const VALUES: readonly Json[] = [
  ...[null, true, false, ...NUMBERS, ...TEXTS],
  ...[[], [1], ["a"], ["a", "b"], [null, 1, "ab"], {}, { a: 1 }],
];
const TYPES: readonly TypeName[] = ["string", "number", "integer", "boolean", "object", "array", "null"];
const PATTERNS = ["^a", "b$", "^$", "^[A-Z]+$", "^(a|b|ab)*(c|d)*$"].flatMap((source) => {
  const result = parseRegex(source);
  return result.ok ? [result.pattern] : [];
});

function operator(random: Random): CompiledOperator {
  const value = random.pick(NUMBERS);
  return random.pick<() => CompiledOperator>([
    () => random.pick(SAMPLE_OPERATORS),
    () => random.pick(SAMPLE_OPERATORS),
    () => ({ op: "equals", value: random.pick(VALUES) }),
    () => ({ op: "one_of", values: [random.pick(VALUES), random.pick(VALUES), random.pick(VALUES)] }),
    () => ({ op: "exists", value: random.below(2) === 0 }),
    () => ({ op: "type", value: random.pick(TYPES) }),
    () => ({ op: "contains", value: random.pick(VALUES) }),
    () => ({ op: "regex", pattern: random.pick(PATTERNS) }),
    () => ({ op: random.pick(["gte", "lte", "gt", "lt"] as const), value }),
    () => ({ op: "multiple_of", value: random.pick([0.5, 1, 2]) }),
    () => ({ op: random.pick(["length_gte", "length_lte"] as const), value: random.below(4) }),
    () => ({ op: "equals_env", name: "REGION" }),
  ])();
}

function demand(random: Random): Tested {
  const passes = random.below(4) === 0 ? [random.pick(TYPES)] : [];
  return { operator: operator(random), passes, optional: random.below(4) === 0 };
}

/** What the guard says of a value, or of its absence. */
function meets({ operator, passes, optional }: Tested, value: Json | undefined): boolean {
  if (value === undefined) return optional || (operator.op === "exists" && !operator.value);
  const isExempt = passes.some((type) => judgeOperator({ op: "type", value: type }, value, ENV) === true);
  return isExempt || judgeOperator(operator, value, ENV) === true;
}

function* runs(): Generator<{ readonly run: number; readonly demands: readonly Tested[] }> {
  for (let run = 0; run < RUNS; run++) {
    const random = randomFrom(SEED, run);
    yield { run, demands: Array.from({ length: 1 + random.below(4) }, () => demand(random)) };
  }
}

describe("what values are possible", () => {
  it("is never denied where the guard accepts a value", () => {
    let impossible = 0;
    for (const { run, demands } of runs()) {
      if (isPossible(demands)) continue;
      impossible++;
      const accepted = [undefined, ...VALUES].filter((value) => demands.every((one) => meets(one, value)));
      expect(accepted, `run ${run}: ${JSON.stringify(demands)}`).toEqual([]);
    }
    expect(impossible).toBeGreaterThan(1000);
  });

  it("holds every number that the guard accepts", () => {
    for (const { run, demands } of runs()) {
      const interval = numbersIn(demands);
      for (const value of NUMBERS.filter((value) => demands.every((one) => meets(one, value)))) {
        const isInside = interval !== null && interval.low <= value && value <= interval.high;
        expect(isInside, `run ${run}: ${value} with ${JSON.stringify(demands)}`).toBe(true);
      }
    }
  });
});
