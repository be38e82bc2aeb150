import { describe, expect, it } from "vitest";
import type { CompiledOperator } from "../../src/artifact/compiled-value.js";
import { ofTypes, ofValues } from "../../src/domain/domain.js";
import { someMember } from "../../src/domain/members.js";
import { nextAbove } from "../../src/domain/number-members.js";
import { acceptedByAll } from "../../src/domain/of-operator.js";
import { compareDomains, difference, isEmpty } from "../../src/domain/questions.js";

const gte = (value: number): CompiledOperator => ({ op: "gte", value });
const gt = (value: number): CompiledOperator => ({ op: "gt", value });
const lte = (value: number): CompiledOperator => ({ op: "lte", value });
const lt = (value: number): CompiledOperator => ({ op: "lt", value });
const multiple = (value: number): CompiledOperator => ({ op: "multiple_of", value });
const whole: CompiledOperator = { op: "type", value: "integer" };

/** What the operators leave: a member, or that there is none. */
function left(...operators: readonly CompiledOperator[]): unknown {
  const member = someMember(acceptedByAll(operators));
  return member.kind === "found" ? member.value.content : member.kind;
}

describe("numbers", () => {
  it.each([
    [[gte(5), lte(5)], 5],
    [[gte(5), lt(5)], "none"],
    [[gt(5), lt(5.01)], 5.001],
    [[gt(1), lt(nextAbove(1))], "none"],
    [[gt(1), lte(nextAbove(1))], nextAbove(1)],
    [[gt(0), lt(1), whole], "none"],
    [[gt(4), lt(6), whole], 5],
    [[multiple(0.1), gt(0.2), lt(0.4)], 0.3],
    [[multiple(6), multiple(4), gt(0), lt(12)], "none"],
    [[multiple(6), multiple(4), gt(0), lte(12)], 12],
    [[multiple(0.3), multiple(0.2), gt(0.5), lt(0.7)], 0.6],
    [[multiple(0), gte(0)], "none"],
    [[gte(-3), lte(-2), multiple(2)], -2],
    [[whole, { op: "not_one_of", values: [1, 2, 3] }, gte(1), lte(3)], "none"],
    [[whole, { op: "not_one_of", values: [1, 3] }, gte(1), lte(3)], 2],
    [[gte(1e300), multiple(7e299)], 1.4e300],
    // Between these no double is a multiple of a tenth; the next ones are whole.
    [[gt(2 ** 53), lt(2 ** 53 + 2), multiple(0.1)], "none"],
  ] as const)("that %j leaves: %j", (operators, expected) => {
    expect(left(...operators)).toBe(expected);
  });

  it.each([
    [[gte(1), lte(10)], [gte(1), lte(9)], "weaker", 10, null],
    [[multiple(6)], [multiple(3)], "stronger", null, 3],
    [[multiple(6)], [multiple(4)], "incomparable", 6, 4],
    [[gte(0), whole], [gt(-1), whole], "equal", null, null],
    [[multiple(0.5), gt(0), lt(1)], [{ op: "equals", value: 0.5 }], "equal", null, null],
    [[whole, gte(1), lte(3)], [{ op: "one_of", values: [1, 2, 3] }], "equal", null, null],
  ] as const)("%j against %j: %s", (first, second, relation, onlyFirst, onlySecond) => {
    const comparison = compareDomains(acceptedByAll(first), acceptedByAll(second));
    expect(comparison.relation).toBe(relation);
    expect(comparison.onlyFirst?.content ?? null).toBe(onlyFirst);
    expect(comparison.onlySecond?.content ?? null).toBe(onlySecond);
  });

  it("of a long list are kept one by one, and of a very long one as a range that says so", () => {
    const list = (count: number) => ofValues(Array.from({ length: count }, (_, index) => index * 2));
    const odd = ofValues([1, 3]);
    expect(difference(odd, list(10_000))).toMatchObject({ kind: "found", value: { content: 1, isSure: true } });
    expect(isEmpty(ofTypes([]))).toBe("yes");
    expect(list(30_000).numbers.isExact).toBe(false);
    expect(difference(odd, list(30_000))).toMatchObject({ kind: "found", value: { isSure: false } });
  });
});
