import { describe, expect, it } from "vitest";
import type { CompiledAggregate } from "../../../../src/artifact/compiled.js";
import { withinBudget } from "../../../../src/base/cost.js";
import { EMPTY_SUM, sumAll } from "../../../../src/base/exact-sum.js";
import type { Json } from "../../../../src/base/json.js";
import { jsonPath } from "../../../../src/base/json-path.js";
import { contributionOf, countedContribution, shiftOpen } from "../../../../src/guard/session/aggregate.js";
import { newAggregate } from "../../../../src/guard/session/session.js";
import { fc } from "../../../support/fast-check.js";

const PATH = jsonPath([
  { descend: false, selectors: [{ kind: "name", name: "list" }] },
  { descend: false, selectors: [{ kind: "wildcard" }] },
]);

const NAMED_N = { kind: "name", name: "n" } as const;

function aggregateOf(metric: CompiledAggregate["metric"], tools: readonly string[] | null): CompiledAggregate {
  const at = { file: "session.yaml", line: 1 };
  return { at, name: "n", metric, tools, path: PATH, gte: null, lte: 5, reason: "few", when: [] };
}

/** Arguments that count how often their list is read. */
function counted(list: readonly Json[]): { readonly args: Json; reads: number } {
  const seen = { args: {}, reads: 0 };
  seen.args = Object.defineProperty({}, "list", {
    enumerable: true,
    get: () => {
      seen.reads += 1;
      return list;
    },
  });
  return seen;
}

describe("what a call adds", () => {
  it.each([
    ["nothing", "sum", null, []],
    ["a sum", "sum", ["t"], [1, 2, 3]],
    ["texts", "count_distinct", ["t"], ["a", "b", "a"]],
  ] as const)("is worked out once: %s", (_, metric, tools, list) => {
    const aggregate = aggregateOf(metric, tools);
    const seen = counted(list);
    contributionOf(aggregate, seen.args);
    const once = seen.reads;
    const first = countedContribution(aggregate, seen.args);
    expect(countedContribution(aggregate, seen.args)).toBe(first);
    expect(seen.reads).toBe(once);
  });

  it("is remembered also where it could not be worked out", () => {
    const aggregate = aggregateOf("count_distinct", ["t"]);
    const seen = counted(Array.from({ length: 500_000 }, (_, n) => n));
    expect(countedContribution(aggregate, seen.args)).toBe(null);
    const once = seen.reads;
    expect(countedContribution(aggregate, seen.args)).toBe(null);
    expect(seen.reads).toBe(once);
  });

  it("is paid for where it is many different numbers", () => {
    const list = Array.from({ length: 200_000 }, (_, n) => n);
    const exceeded = withinBudget<unknown>(
      () => contributionOf(aggregateOf("count_distinct", ["t"]), { list }),
      () => "exceeded",
    );
    expect(exceeded).toBe("exceeded");
  });
});

describe("what open calls may add to a sum", () => {
  const amount = fc.oneof(
    fc.integer({ min: -1000, max: 1000 }),
    fc.constantFrom(0.1, -0.1, 0.3, 2 ** 53 - 1, 1 - 2 ** 53, 2 ** 53, 1e300, -1e300, 2 ** 52),
  );

  it("is the exact sum of those above 0, and of the others, and nothing once all have ended", () => {
    const aggregate = { ...aggregateOf("sum", ["t"]), path: jsonPath([{ descend: false, selectors: [NAMED_N] }]) };
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 8 }), (amounts) => {
        const state = newAggregate(false);
        for (const n of amounts) shiftOpen(aggregate, state, { n }, 1);
        expect(state.raise).toEqual(sumAll(amounts.filter((n) => n > 0)));
        expect(state.lower).toEqual(sumAll(amounts.filter((n) => n <= 0)));
        for (const n of amounts) shiftOpen(aggregate, state, { n }, -1);
        expect([state.raise, state.lower]).toEqual([EMPTY_SUM, EMPTY_SUM]);
      }),
    );
  });
});
