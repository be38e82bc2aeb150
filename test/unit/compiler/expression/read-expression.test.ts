import { describe, expect, it } from "vitest";
import { expression } from "../../../../src/artifact/expression.js";
import { type Given, problemsOf, reading, treeOf } from "./reading.js";

const ARGS = { kind: "variable", name: "args" };
const number = (text: string) => ({ kind: "number", text });
const text = (value: string) => ({ kind: "literal", value });
const arg = (name: string) => ({ kind: "member", of: ARGS, name });

describe("an expression", () => {
  it.each<readonly [string, object]>([
    ["true", { kind: "literal", value: true }],
    ["null == args.x", { kind: "binary", op: "==", left: { kind: "literal", value: null }, right: arg("x") }],
    ["args.x", arg("x")],
    ['args["x"]', { kind: "index", of: ARGS, index: text("x") }],
    ["principal.id", { kind: "member", of: { kind: "variable", name: "principal" }, name: "id" }],
    ['"vip" in labels', { kind: "binary", op: "in", left: text("vip"), right: { kind: "variable", name: "labels" } }],
    ['tool == "pay"', { kind: "binary", op: "==", left: { kind: "variable", name: "tool" }, right: text("pay") }],
    ["now", { kind: "variable", name: "now" }],
    ["slots.order", { kind: "slot", name: "order" }],
    ['slots["order"].id', { kind: "member", of: { kind: "slot", name: "order" }, name: "id" }],
    ["slots.reservation[args.id]", { kind: "index", of: { kind: "slot", name: "reservation" }, index: arg("id") }],
    ["constants.fee", { kind: "constant", name: "fee" }],
    ['constants["fee"]', { kind: "constant", name: "fee" }],
    ["!args.x", { kind: "not", of: arg("x") }],
    ["-args.x", { kind: "minus", of: arg("x") }],
    ["args.a && args.b", { kind: "and", left: arg("a"), right: arg("b") }],
    ["args.a || args.b", { kind: "or", left: arg("a"), right: arg("b") }],
    ["args.a ? 1 : 2", { kind: "choice", test: arg("a"), yes: number("1"), no: number("2") }],
    ["[1, 'a']", { kind: "list", items: [number("1"), text("a")] }],
    ['{"a": 1}', { kind: "map", entries: [{ key: text("a"), value: number("1") }] }],
    ["has(args.note)", { kind: "has", of: ARGS, name: "note" }],
    ["has(slots.order)", { kind: "has_slot", name: "order" }],
    ["has(slots.order.id)", { kind: "has", of: { kind: "slot", name: "order" }, name: "id" }],
    ["has(constants.fee)", { kind: "literal", value: true }],
    ["has(constants.nothing)", { kind: "literal", value: false }],
    ["args.l.all(x, x)", macro("all", { kind: "local", name: "x" }, null)],
    ["args.l.exists(x, x)", macro("exists", { kind: "local", name: "x" }, null)],
    ["args.l.exists_one(x, x)", macro("exists_one", { kind: "local", name: "x" }, null)],
    ["args.l.filter(x, x)", macro("filter", { kind: "local", name: "x" }, null)],
    ["args.l.map(x, x)", macro("map", null, { kind: "local", name: "x" })],
    ["args.l.map(x, true, x)", macro("map", { kind: "literal", value: true }, { kind: "local", name: "x" })],
    ["size(args.l)", { kind: "call", fn: "size", operands: [arg("l")] }],
    ["args.l.size()", { kind: "call", fn: "size", operands: [arg("l")] }],
    ["args.l.sum()", { kind: "call", fn: "sum", operands: [arg("l")] }],
    ["math.least(1, args.x)", { kind: "call", fn: "math.least", operands: [number("1"), arg("x")] }],
    ["lists.range(3)", { kind: "call", fn: "lists.range", operands: [number("3")] }],
    [
      'now.getHours("UTC")',
      { kind: "call", fn: "getHours", operands: [{ kind: "variable", name: "now" }, text("UTC")] },
    ],
    ['args.x.matches(r"^\\d+$")', { kind: "matches", of: arg("x"), pattern: { engine: "native", source: "^\\d+$" } }],
    ['matches(args.x, "a")', { kind: "matches", of: arg("x"), pattern: { engine: "native", source: "a" } }],
    ["args.if", arg("if")],
    ["args // a comment\n.x", arg("x")],
  ])("%s is data", (source, expected) => {
    const tree = treeOf(source);
    expect(tree).toEqual(expected);
    expect(expression(JSON.parse(JSON.stringify(tree)), "tree")).toEqual(tree);
  });

  it.each(["==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in"])("has the operator %s", (op) => {
    expect(treeOf(`args.a ${op} args.b`)).toEqual({ kind: "binary", op, left: arg("a"), right: arg("b") });
  });

  it.each([
    ["1", "1"],
    ["1.50", "1.5"],
    ["0.1", "0.1"],
    ["007", "7"],
    ["1u", "1"],
    ["0x1F", "31"],
    ["0x1Fu", "31"],
    ["1e3", "1000"],
    ["1.5e-3", "0.0015"],
    ["0.0", "0"],
    ["12345678901234567890.5", "12345678901234567890.5"],
    ["9007199254740993", "9007199254740993"],
    ["9223372036854775808", "9223372036854775808"],
    ["1e100", "1e100"],
    ["1e-100", "1e-100"],
  ])("keeps the digits of %s exactly", (source, digits) => {
    expect(treeOf(source)).toEqual(number(digits));
  });

  it("knows the place of every part", () => {
    const result = reading("size(args.items) <= 2");
    if (!result.ok) throw new Error("not read");
    const places = [...result.expression.spans.values()].map(({ source, start, end }) => source.text.slice(start, end));
    expect(places.sort()).toEqual(["2", "args", "args.items", "size(args.items)", "size(args.items) <= 2"]);
  });
});

function macro(name: string, test: object | null, result: object | null): object {
  return { kind: "macro", macro: name, over: arg("l"), name: "x", test, result };
}

describe("a let", () => {
  it.each<readonly [string, string, Given]>([
    ["is replaced by what it stands for", "slots.order.id == 1", { let: { order: "slots.order" } }],
    ["may name others", "slots.order.id == 1", { let: { order: "all_of_it", all_of_it: "slots.order" } }],
    ["may be the session's", "slots.order.id == 1", { sessionLet: { order: "slots.order" } }],
    [
      "of a tool hides the session's",
      "slots.order.id == 1",
      { let: { order: "slots.order" }, sessionLet: { order: "slots.done" } },
    ],
    [
      "of the session names those of the session",
      "slots.order.id == 1",
      { let: { inner: "slots.done" }, sessionLet: { order: "inner", inner: "slots.order" } },
    ],
  ])("%s", (_, expected, given) => {
    expect(treeOf("order.id == 1", given)).toEqual(treeOf(expected));
  });

  it.each([
    ["b", "slots.order", "slots.order"],
    ["b.id == 1 && b.open", "slots.order", "slots.order.id == 1 && slots.order.open"],
    ["b.id == 1", "slots.reservation[args.id]", "slots.reservation[args.id].id == 1"],
    ["!b || true", "args.a && args.b", "!(args.a && args.b) || true"],
    ["b && true", "args.a // always\n", "(args.a // always\n) && true"],
    ["args.b == b", "1", "args.b == 1"],
  ])("is written out for people: %s", (text, named, expected) => {
    const result = reading(text, { let: { b: named } });
    expect(result.ok && result.expression.text).toBe(expected);
  });

  it("that is part of itself is a cycle, told once", () => {
    const [problem] = reading("a", { let: { a: "b || true", b: "a" } }).lets;
    expect(problem?.entry.name).toBe("a");
    const parts = [...reading("a", { let: { a: "b || true", b: "a" } }).lets].map((each) => each.read());
    expect(parts.flatMap((part) => (part === "open" ? [] : part.problems))).toEqual([]);
    expect(problemsOf("a", { let: { a: "a" } })).toEqual([]);
  });

  it("may read the output, and then only `ensures` may use it", () => {
    const given = { let: { paid: "output.paid" } };
    expect(problemsOf("paid == 1", given)).toEqual([
      "unknown_variable at `paid`: this `let` reads `output`, and there is none before the call | judge the output in `ensures`",
    ]);
    expect(problemsOf("paid == 1", { ...given, hasOutput: true })).toEqual([]);
  });

  it("counts with all its characters and parts", () => {
    const long = `"${"x".repeat(2100)}" == args.a`;
    expect(problemsOf("a", { let: { a: long } })).toEqual([]);
    expect(problemsOf("a && a", { let: { a: long } })[0]).toContain(
      "characters after `let`, and at most 4096 are accepted",
    );
    const doubled = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`x${index + 1}`, `x${index} + x${index}`]),
    );
    expect(problemsOf("x40 == 1", { let: { x0: "1", ...doubled } })).toEqual([]);
    expect(reading("x40 == 1", { let: { x0: "1", ...doubled } }).ok).toBe(false);
  });

  it("counts with the macros that it nests", () => {
    const given = { let: { inner: "args.l.all(x, args.l.all(y, true))" } };
    expect(problemsOf("args.l.all(x, inner)", given)).toEqual([]);
    expect(problemsOf("args.l.all(x, args.l.all(y, inner))", given)[0]).toContain("nests 4 macros");
  });
});

describe("the bounds of an expression", () => {
  it("are 4,096 characters", () => {
    expect(problemsOf(`args.a == "${"x".repeat(4096 - 12)}"`)).toEqual([]);
    expect(problemsOf(`args.a == "${"x".repeat(4097 - 12)}"`)[0]).toContain("has 4097 characters");
  });

  it("are 500 parts", () => {
    expect(problemsOf(`1${" + 1".repeat(249)} == 1`.replace(" == 1", ""))).toEqual([]);
    expect(problemsOf(`1${" + 1".repeat(250)}`)[0]).toContain("has 501 parts");
  });

  it.each([
    ["not", "!".repeat(4000)],
    ["brackets", "(".repeat(4000)],
    ["lists", "[".repeat(4000)],
    ["members", `a${".a".repeat(2000)}`],
    ["choices", "true ? ".repeat(580)],
  ])("hold for deep %s", (_, source) => {
    expect(problemsOf(source)).not.toEqual([]);
  });
});
