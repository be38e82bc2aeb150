import { describe, expect, it } from "vitest";
import { BINARY_OPERATORS, type Expression, expression, FUNCTIONS, MACROS } from "../../src/artifact/expression.js";
import { withinBudget } from "../../src/base/cost.js";
import type { JsonObject } from "../../src/base/json.js";
import { answerOf, judgeFrame, prepareExpression } from "../../src/guard/expression/evaluate.js";
import { Fault } from "../../src/guard/expression/fault.js";
import { Frame } from "../../src/guard/expression/frame.js";
import { FORGOTTEN, LOST, type SlotReader } from "../../src/guard/expression/slot-reader.js";
import { UNKNOWN } from "../../src/guard/session/call.js";
import { fc } from "../support/fast-check.js";

const VALUES = [null, true, false, 0, 1, -1, 2.5, 0.1, 1e300, "", "a", "2024-05-01T10:00:00Z", "1h30m", "5", "😀"];
const NAMES = ["a", "b", "list", "map", "__proto__", "missing"];

const slots: SlotReader = {
  read: (slot) => (slot === "a" ? 5 : slot === "b" ? UNKNOWN : slot === "list" ? LOST : undefined),
  entry: (_slot, [key]) => (key === "a" ? { a: 1 } : undefined),
  branch: () => ({ value: new Map([["a", { a: 1 }]]), isComplete: true }),
  hasBranch: () => true,
  union: () => ({ value: ["a", 1], isComplete: false }),
  includes: (_slot, value) => value === "a" || FORGOTTEN,
  isLeftUnset: () => false,
};

const context = {
  constants: { a: 1, list: [1, "a"], map: { a: 2 } },
  timezone: "Europe/Berlin",
  slots: new Map([
    ["map", { kind: "keyed" as const, depth: 1 }],
    ["missing", { kind: "union" as const, depth: 0 }],
  ]),
};

const name = fc.constantFrom(...NAMES);

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc
    .constantFrom(null, true, false, "", "a", "2024-05-01", "1h", "Europe/Berlin")
    .map((value) => ({ kind: "literal" as const, value })),
  fc
    .constantFrom("0", "1", "2.5", "0.1", "12345678901234567890", "1e300")
    .map((text) => ({ kind: "number" as const, text })),
  fc.constantFrom("args", "principal", "labels", "tool", "now", "output").map((variable) => ({
    kind: "variable" as const,
    name: variable,
  })),
  name.map((member) => ({
    kind: "member" as const,
    of: { kind: "variable" as const, name: "args" as const },
    name: member,
  })),
  name.map((slot) => ({ kind: "slot" as const, name: slot })),
  name.map((constant) => ({ kind: "constant" as const, name: constant })),
  fc.constantFrom("x", "y").map((local) => ({ kind: "local" as const, name: local })),
  name.map((slot) => ({ kind: "has_slot" as const, name: slot })),
);

const { tree } = fc.letrec<{ tree: Expression }>((tie) => {
  const part = tie("tree");
  return {
    tree: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      fc.record({ kind: fc.constant("member" as const), of: part, name }),
      fc.record({ kind: fc.constant("index" as const), of: part, index: part }),
      fc.record({ kind: fc.constant("has" as const), of: part, name }),
      fc.record({ kind: fc.constantFrom("not" as const, "minus" as const), of: part }),
      fc.record({ kind: fc.constantFrom("and" as const, "or" as const), left: part, right: part }),
      fc.record({
        kind: fc.constant("binary" as const),
        op: fc.constantFrom(...BINARY_OPERATORS),
        left: part,
        right: part,
      }),
      fc.record({ kind: fc.constant("choice" as const), test: part, yes: part, no: part }),
      fc.record({ kind: fc.constant("list" as const), items: fc.array(part, { maxLength: 3 }) }),
      fc.record({
        kind: fc.constant("map" as const),
        entries: fc.array(fc.record({ key: part, value: part }), { maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant("macro" as const),
        macro: fc.constantFrom(...MACROS),
        over: part,
        name: fc.constantFrom("x", "y"),
        test: part,
        result: fc.option(part),
      }),
      fc.record({
        kind: fc.constant("call" as const),
        fn: fc.constantFrom(...FUNCTIONS),
        operands: fc.array(part, { minLength: 1, maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant("matches" as const),
        of: part,
        pattern: fc.constant({ engine: "counted" as const, source: "^(a+)+$" }),
      }),
    ),
  };
});

const args: fc.Arbitrary<JsonObject> = fc.record({
  a: fc.constantFrom(...VALUES),
  b: fc.constantFrom(...VALUES),
  list: fc.array(fc.constantFrom(...VALUES), { maxLength: 4 }),
  map: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom(...VALUES)),
});

/** Truth, or the kind of fault. */
function judged(node: Expression, given: JsonObject): string {
  const prepared = prepareExpression({ text: "", tree: node }, context);
  const input = { args: given, principal: { a: "p" }, labels: ["a"], tool: "t", now: 1_714_557_600_000, output: [1] };
  return withinBudget(
    () => {
      const frame = new Frame(input, slots);
      const judgement = judgeFrame(prepared, frame);
      const answer = answerOf(prepared, frame, judgement);
      if (answer.kind !== "true") expect(typeof answer.found).toBe("string");
      return judgement instanceof Fault
        ? judgement.kind === "awaited"
          ? "awaited"
          : "unjudgeable"
        : String(judgement);
    },
    () => "costly",
  );
}

const not = (of: Expression): Expression => ({ kind: "not", of });
const and = (left: Expression, right: Expression): Expression => ({ kind: "and", left, right });
const or = (left: Expression, right: Expression): Expression => ({ kind: "or", left, right });

describe("expressions of any shape", () => {
  it("are judged or not, and never throw", () => {
    fc.assert(
      fc.property(tree, args, (node, given) => {
        expect(expression(JSON.parse(JSON.stringify(node)), "tree")).toEqual(node);
        expect(["true", "false", "unjudgeable", "awaited", "costly"]).toContain(judged(node, given));
      }),
      { numRuns: 4000 },
    );
  });

  it("mean the same in either order, and by De Morgan's laws", () => {
    fc.assert(
      fc.property(tree, tree, args, (a, b, given) => {
        expect(judged(and(b, a), given)).toBe(judged(and(a, b), given));
        expect(judged(or(b, a), given)).toBe(judged(or(a, b), given));
        expect(judged(not(and(a, b)), given)).toBe(judged(or(not(a), not(b)), given));
        expect(judged(not(or(a, b)), given)).toBe(judged(and(not(a), not(b)), given));
      }),
      { numRuns: 2000 },
    );
  });

  it("find an item in a list exactly if some item equals it", () => {
    const list: Expression = { kind: "member", of: { kind: "variable", name: "args" }, name: "list" };
    fc.assert(
      fc.property(leaf, args, (item, given) => {
        const found: Expression = { kind: "binary", op: "in", left: item, right: list };
        const equal: Expression = { kind: "binary", op: "==", left: item, right: { kind: "local", name: "z" } };
        const some: Expression = { kind: "macro", macro: "exists", over: list, name: "z", test: equal, result: null };
        fc.pre(judged({ kind: "binary", op: "==", left: item, right: item }, given) === "true");
        expect(judged(some, given)).toBe(judged(found, given));
      }),
      { numRuns: 1000 },
    );
  });
});
