import { describe, expect, it } from "vitest";
import type { CompiledSchema } from "../../../../src/artifact/compiled-schema.js";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { inferExpression } from "../../../../src/compiler/expression/infer.js";
import { shapeOfArguments } from "../../../../src/compiler/expression/shape.js";
import type { Inference } from "../../../../src/compiler/expression/surprise.js";
import { evaluate, prepareExpression } from "../../../../src/guard/expression/evaluate.js";
import type { SlotReader } from "../../../../src/guard/expression/slot-reader.js";
import { fc } from "../../../support/fast-check.js";
import { reading } from "./reading.js";

/** Arguments of every kind, some of them optional. */
const SCHEMA: CompiledSchema = {
  root: [
    { kind: "type", types: ["object"] },
    {
      kind: "properties",
      entries: [
        { name: "amount", node: [{ kind: "type", types: ["number"] }] },
        { name: "count", node: [{ kind: "type", types: ["integer"] }] },
        { name: "kind", node: [{ kind: "type", types: ["string"] }] },
        { name: "note", node: [{ kind: "type", types: ["string", "null"] }] },
        { name: "vip", node: [{ kind: "type", types: ["boolean"] }] },
        {
          name: "names",
          node: [
            { kind: "type", types: ["array"] },
            { kind: "items", from: 0, node: [{ kind: "type", types: ["string"] }] },
          ],
        },
        {
          name: "items",
          node: [
            { kind: "type", types: ["array"] },
            {
              kind: "items",
              from: 0,
              node: [
                { kind: "type", types: ["object"] },
                { kind: "properties", entries: [{ name: "price", node: [{ kind: "type", types: ["number"] }] }] },
              ],
            },
          ],
        },
      ],
    },
    { kind: "required", names: ["amount", "kind", "vip", "names", "items"] },
    {
      kind: "additional_properties",
      names: ["amount", "count", "kind", "note", "vip", "names", "items", "any"],
      patterns: [],
      node: false,
    },
  ],
  defs: [],
};

const CONSTANTS = { fee: 5, tools: ["pay", "refund", 1], limits: { pay: 10, refund: 20 } };

const FACTS = {
  args: shapeOfArguments(SCHEMA),
  tool: "pay",
  slots: new Map(),
  constants: new Map<string, Json>(Object.entries(CONSTANTS)),
};

function inferred(text: string): Inference | null {
  const result = reading(text, { slots: { seen: { kind: "plain" } }, constants: CONSTANTS });
  return result.ok ? inferExpression(result.expression.tree, FACTS) : null;
}

const BOTH = "true or false";

function outcomeOf(text: string): string {
  const inference = inferred(text);
  if (inference === null) return "not read";
  const { mayBeTrue, mayBeFalse, mayFail } = inference.outcome;
  const truth = mayBeTrue && mayBeFalse ? BOTH : mayBeTrue ? "true" : mayBeFalse ? "false" : "";
  return [truth, mayFail ? "fails" : ""].filter((word) => word !== "").join(", ");
}

describe("what is certain about an expression", () => {
  it.each([
    ["true", "true"],
    ["args.vip", BOTH],
    ["args.vip || true", "true"],
    ["true || args.missing == 1", "true"],
    ["args.amount > 5", BOTH],
    ["args.count > 5", `${BOTH}, fails`],
    ["args.amount == 'x'", "false"],
    ["args.amount != 'x'", "true"],
    ["args.kind < 5", "fails"],
    ["args.note > 'a'", `${BOTH}, fails`],
    ["args.note == null", `${BOTH}, fails`],
    ["args.gone == 1", "fails"],
    ["has(args.gone)", "false"],
    ["has(args.kind)", "true"],
    ["has(args.count)", BOTH],
    ["!has(args.gone) || args.gone > 5", "true"],
    ["args.any.x == 1", `${BOTH}, fails`],
    ["5 < 3", "false"],
    ["-5 < 3", "true"],
    ["0.1 == 0.10", "true"],
    ["constants.fee == 5", "true"],
    ["tool == 'pay'", "true"],
    ["tool == 'other' && args.amount > 5", "false"],
    ["args.vip ? 'x' : 'y'", "fails"],
    ["args.names.all(x, x != 1)", "true"],
    ["args.names.exists(x, x == 1)", "false"],
    ["args.items.all(x, x.price > 1)", `${BOTH}, fails`],
    ["5 in args.names", "false"],
    ["'x' in args.items", "false"],
    ["'x' in args.names", BOTH],
    ["now - timestamp('2024-01-01T00:00:00Z') > duration('1h')", `${BOTH}, fails`],
    ["args.kind + 5 == 'x'", "fails"],
    ["size(args.names) > 0", BOTH],
    ["size(args.amount) > 0", "fails"],
    ["slots.seen == 1", `${BOTH}, fails`],
    ["tool in ['pay', 'refund']", "true"],
    ["tool in ['refund', args.kind]", BOTH],
    ["tool in ['refund', 1]", "false"],
    ["tool in []", "false"],
    ["tool in constants.tools", "true"],
    ["1.0 in constants.tools", "true"],
    ["2 in constants.tools", "false"],
    ["tool in constants.limits", "true"],
    ["'gone' in constants.limits", "false"],
    ["'gone' in args", "false"],
    ["'kind' in args", "true"],
    ["'count' in args", `${BOTH}, fails`],
    ["args.kind in ['a']", BOTH],
    ["!(tool in ['refund']) || args.gone > 5", "true"],
    ["tool in ['refund'] ? args.gone > 5 : true", "true"],
    ["tool.startsWith('p') && tool.endsWith('y') && tool.contains('a')", "true"],
    ["tool.startsWith('get_')", "false"],
    ["args.kind.startsWith('get_')", `${BOTH}, fails`],
    // Times that an expression puts into lists and maps are times when they are read there.
    ["([now] + [timestamp(args.kind)]).all(t, t <= now)", `${BOTH}, fails`],
    ["([now] + args.names.map(n, timestamp(n))).exists(t, now - t < duration('1h'))", `${BOTH}, fails`],
    ["(args.vip ? [now] : [timestamp(args.kind)]).all(t, t <= now)", `${BOTH}, fails`],
    ["(args.vip ? [] : [now]).all(t, t.getHours() > 3)", `${BOTH}, fails`],
    ["[[now], [timestamp(args.kind)]].all(l, l.all(t, t <= now))", `${BOTH}, fails`],
    ["args.names.map(n, {'t': timestamp(n)}).all(m, m.t < now)", `${BOTH}, fails`],
    ["{'a': now}['a'] <= timestamp(args.kind)", `${BOTH}, fails`],
    ["{'a': now}[args.kind] <= now", `${BOTH}, fails`],
    ["{'a': [duration('1h')]}.a.all(d, d < duration('2h'))", `${BOTH}, fails`],
    ["now in ([timestamp(args.kind)] + [now])", `${BOTH}, fails`],
    ["([now] + [1]).all(t, t == 'x')", `${BOTH}, fails`],
    ["(args.vip ? [now] : args.any).all(t, t <= now)", `${BOTH}, fails`],
  ])("%s is %s", (text, expected) => {
    expect(outcomeOf(text)).toBe(expected);
  });
});

const NO_SLOTS: SlotReader = {
  read: () => undefined,
  entry: () => undefined,
  hasBranch: () => false,
  branch: () => ({ value: new Map(), isComplete: true }),
  union: () => ({ value: [], isComplete: true }),
  includes: () => false,
  isLeftUnset: () => false,
};

const ATOMS = [
  "args.amount",
  "args.count",
  "args.kind",
  "args.note",
  "args.vip",
  "args.names",
  "args.items",
  "args.any",
  "args.gone",
  "args.names[0]",
  "args.items[0].price",
  "args.any.x",
  "constants.fee",
  "constants.tools",
  "constants.limits",
  "args",
  "slots.seen",
  "labels",
  "tool",
  "now",
  "principal.id",
  "1",
  "2.5",
  "-3",
  "'a'",
  "'pay'",
  "'kind'",
  "'gone'",
  "['pay', args.kind]",
  "true",
  "false",
  "null",
  "[1, 'a']",
  "[]",
  "{'a': 1}",
  "[now]",
  "{'a': now}",
  "x.a",
  "x[0]",
  "duration('1h')",
  "x",
  "y",
];

const expressions = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    fc.constantFrom(...ATOMS),
    fc
      .tuple(tie("any"), fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "in", "&&", "||"), tie("any"))
      .map(([left, op, right]) => `(${left} ${op} ${right})`),
    tie("any").map((part) => `!(${part})`),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
    fc
      .tuple(
        tie("any"),
        fc.constantFrom("all", "exists", "exists_one", "filter", "map"),
        fc.constantFrom("x", "y"),
        tie("any"),
      )
      .map(([over, macro, name, inner]) => `(${over}).${macro}(${name}, ${inner})`),
    tie("any").map((part) => `size(${part})`),
    tie("any").map((part) => `string(${part})`),
    tie("any").map((part) => `(${part}).distinct()`),
    fc
      .tuple(tie("any"), fc.constantFrom("startsWith", "endsWith", "contains"), tie("any"))
      .map(([of, method, part]) => `(${of}).${method}(${part})`),
    fc.constantFrom("has(args.note)", "has(args.kind)", "has(args.gone)", "has(args.any.x)", "has(slots.seen)"),
  ),
})).any;

const text = fc.constantFrom("a", "b", "pay", "");
const number = fc.constantFrom(0, 1, -3, 2.5, 5);
const calls: fc.Arbitrary<JsonObject> = fc.record(
  {
    amount: number,
    count: fc.constantFrom(0, 1, 5),
    kind: text,
    note: fc.option(text),
    vip: fc.boolean(),
    names: fc.array(text, { maxLength: 3 }),
    items: fc.array(fc.record({ price: number, name: text }, { requiredKeys: [] }), { maxLength: 2 }),
    any: fc.oneof(text, number, fc.constant(null), fc.record({ x: number }), fc.array(number, { maxLength: 2 })),
  },
  { requiredKeys: ["amount", "kind", "vip", "names", "items"] },
);

describe("the guard", () => {
  it("never does what was ruled out", () => {
    let judged = 0;
    let ruledOut = 0;
    const property = fc.property(expressions, fc.array(calls, { minLength: 8, maxLength: 8 }), (source, many) => {
      const result = reading(source, { slots: { seen: { kind: "plain" } }, constants: CONSTANTS });
      if (!result.ok) return;
      const { tree } = result.expression;
      const { mayBeTrue, mayBeFalse, mayFail } = inferExpression(tree, FACTS).outcome;
      const prepared = prepareExpression(
        { text: source, tree },
        { constants: CONSTANTS, timezone: null, slots: new Map() },
      );
      for (const args of many) {
        const input = {
          args,
          principal: { id: "p" },
          labels: ["a"],
          tool: "pay",
          now: 1_700_000_000_000,
          output: null,
          slots: NO_SLOTS,
        };
        const { kind } = evaluate(prepared, input);
        judged += 1;
        if (!mayBeTrue || !mayBeFalse || !mayFail) ruledOut += 1;
        const isRuledOut = kind === "true" ? !mayBeTrue : kind === "false" ? !mayBeFalse : !mayFail;
        expect([source, args, kind, isRuledOut]).toEqual([source, args, kind, false]);
      }
    });
    fc.assert(property, { numRuns: 4000 });
    expect(judged).toBeGreaterThan(10_000);
    expect(ruledOut).toBeGreaterThan(2000);
  }, 120_000);
});
