import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";
import { cycle, nested, shared } from "../support/hostile-values.js";

const ARTIFACT = artifactOf(`
#== session.yaml (with the required fields)
aggregates: [{ name: total, metric: sum, tool: "*", path: $.n, lte: 5, reason: Few }]
#== look.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.text, length_lte: 2 }], output_invariants: [] }
#== free.yaml (with the required fields)
binds: [{ name: list, path: $.list }]
`);

function guardOf(): Promise<Guard> {
  return createGuard(ARTIFACT, { env: {} });
}

class Money {
  readonly amount = 5;
}

class List extends Array<number> {}

function listCycle(): object {
  const ring: unknown[] = [];
  ring.push([ring]);
  return { ring };
}

function sparse(): unknown[] {
  const list: unknown[] = [1];
  list[3] = 4;
  return list;
}

function* endless(): Generator<number> {
  for (;;) yield 1;
}

function throwing(): never {
  throw new Error("not for your eyes");
}

const unreadable = new Proxy({}, { ownKeys: throwing, get: throwing, getPrototypeOf: throwing });
const revoked = Proxy.revocable({}, {});
revoked.revoke();

const NOT_JSON: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a text", "{}"],
  ["a number", 5],
  ["a boolean", true],
  ["a list", [{ n: 1 }]],
  ["a function", () => ({})],
  ["a symbol", Symbol("n")],
  ["a bigint", 5n],
  ["a member that is a function", { n: () => 5 }],
  ["a method toJSON", { n: 1, toJSON: () => ({ n: 0 }) }],
  ["a member that is a symbol", { n: Symbol("n") }],
  ["a member that is a bigint", { n: 5n }],
  ["a member that is undefined", { n: 1, m: undefined }],
  ["a member that is not a number", { n: Number.NaN }],
  ["a member that is infinite", { n: Number.POSITIVE_INFINITY }],
  ["a member that is infinitely negative", { n: [Number.NEGATIVE_INFINITY] }],
  ["a date", new Date(0)],
  ["a member that is a date", { when: new Date(0) }],
  ["a map", { map: new Map([["n", 1]]) }],
  ["a set", { set: new Set([1]) }],
  ["a regular expression", { pattern: /x/ }],
  ["an error", { cause: new Error("x") }],
  ["a promise", { later: Promise.resolve(1) }],
  ["bytes", { bytes: new Uint8Array(2) }],
  ["a buffer", { bytes: Buffer.from("x") }],
  ["a boxed number", { n: Object(1) }],
  ["a boxed text", { text: Object("x") }],
  ["an instance of a class", new Money()],
  ["a member that is an instance of a class", { money: new Money() }],
  ["an object with a prototype of its own", { inner: Object.create({ n: 1 }) }],
  ["a cycle", cycle()],
  ["a cycle through lists", listCycle()],
  ["a sparse list", { list: sparse() }],
  ["a list with undefined", { list: [1, undefined] }],
  ["a proxy that throws", unreadable],
  ["a member that is a proxy that throws", { inner: unreadable }],
  ["a revoked proxy", revoked.proxy],
  ["a getter that throws", Object.defineProperty({}, "n", { enumerable: true, get: throwing })],
  ["an object of another realm", runInNewContext("({ n: 1 })")],
  ["101 levels of objects", nested(101)],
  ["a symbol for a key", { n: 1, [Symbol("n")]: 5 }],
  ["a list with an iterator of its own that never ends", { list: Object.assign([1], { [Symbol.iterator]: endless }) }],
  ["a symbol for a key further down", { list: [{ [Symbol("n")]: 5 }] }],
  [
    "a list that does not say how long it is",
    { list: new Proxy([1], { get: (list, key) => (key === "length" ? Number.NaN : Reflect.get(list, key)) }) },
  ],
  ["a text of 120 million characters", { text: "x".repeat(120_000_000) }],
  ["a text that occurs again and again", { list: Array.from({ length: 1000 }, () => "x".repeat(20_000)) }],
  ["a key of 20 million characters", { ["k".repeat(20_000_000)]: 1 }],
  ["lists that share their parts and spell out to more values than there is time for", { list: shared(60) }],
];

describe("arguments that are not a JSON object", () => {
  it.each(NOT_JSON)("%s is blocked, and no exception", async (_, args) => {
    const guard = await guardOf();
    expect(await guard.propose({ tool: "free", args })).toMatchObject({ kind: "block", reason: "arguments_not_json" });
    expect(guard.explain({ tool: "free", args }).map(told)).toEqual(["arguments_not_json"]);
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("a list of a class of its own is blocked like every other instance of a class", async () => {
    const guard = await guardOf();
    expect(told(await guard.propose({ tool: "free", args: { list: List.from([1]) } }))).toBe("arguments_not_json");
  });

  it("are reported without their content", async () => {
    const guard = await guardOf();
    const verdict = await guard.propose({ tool: "free", args: { secret: "s3cret", broken: 5n } });
    expect(JSON.stringify(verdict)).not.toContain("s3cret");
  });
});

const JSON_OBJECTS: readonly (readonly [string, unknown])[] = [
  ["an object without a prototype", Object.assign(Object.create(null), { list: [] })],
  ["an object with a key __proto__", JSON.parse('{"list":[],"__proto__":{"n":99}}')],
  ["a frozen object", Object.freeze({ list: Object.freeze([1]) })],
  ["100 levels of objects", { list: nested(99) }],
  ["a list of a hundred thousand items", { list: Array.from({ length: 100_000 }, () => 1) }],
  ["a proxy that behaves", new Proxy({ list: [] }, {})],
  ["16 million characters of text", { list: ["x".repeat(16_000_000)] }],
];

describe("arguments that are a JSON object", () => {
  it.each(JSON_OBJECTS)("%s is judged", async (_, args) => {
    const guard = await guardOf();
    expect(told(await guard.propose({ tool: "free", args }))).toBe("allow");
  });

  it("keep to their limits while a getter proposes another call", async () => {
    const guard = await guardOf();
    const get = () => guard.explain({ tool: "free", args: { list: [] } }).length;
    const items = Array.from({ length: 2000 }, () => Object.defineProperty({}, "n", { enumerable: true, get }));
    const many = Array.from({ length: 1000 }, () => items);
    expect(told(await guard.propose({ tool: "free", args: { list: many } }))).toBe("arguments_not_json");
  });

  it("are read once, so that a getter cannot say one thing to the checks and another to the sums", async () => {
    const guard = await guardOf();
    let reads = 0;
    const get = () => {
      reads += 1;
      return reads === 1 ? 5 : 500;
    };
    const args = Object.defineProperty({ list: [] }, "n", { enumerable: true, get });
    expect(told(await guard.propose({ tool: "free", args }))).toBe("allow");
    expect(guard.state().aggregates).toEqual({ total: 5 });
    expect(reads).toBe(1);
  });

  it("have a length in code points, halves of a pair counted one by one", async () => {
    const guard = await guardOf();
    const verdicts = ["\ud83d\ud83d", "\ude00\ud83d", "\ud83d\ude00\ud83d\ude00", "\ud83d\ud83d\ude00\ude00"].map(
      (text) => guard.propose({ tool: "look", args: { text } }),
    );
    expect((await Promise.all(verdicts)).map(told)).toEqual(["allow", "allow", "allow", "input_invariant_failed"]);
  });
});

/** Values, members, text and levels of arguments that are just within a limit with 0 more, and just beyond it with 1. */
const LIMITS: readonly (readonly [string, string, (more: number) => object])[] = [
  ["100 levels of objects", "nested too deeply", (more) => ({ list: nested(99 + more) })],
  ["100 levels of lists", "nested too deeply", (more) => ({ list: lists(99 + more) })],
  // The object, its list and what is in that.
  ["1,048,576 values", "more than 1048576 values", (more) => ({ list: many(2 ** 20 - 2 + more, 1) })],
  ["1,048,576 values that are objects", "more than 1048576 values", (more) => ({ list: many(2 ** 20 - 2 + more, {}) })],
  ["1,048,576 values in members", "more than 1048576 values", (more) => ({ list: many(16_383, wide(63), 62 + more) })],
  ["65,536 members", "more than 65536 members", (more) => ({ list: wide(2 ** 16 + more) })],
  ["16,777,216 units of text in values", "characters of text", (more) => ({ list: ["x".repeat(2 ** 24 - 4 + more)] })],
  [
    "16,777,216 units of text in keys",
    "characters of text",
    (more) => ({ list: { ["x".repeat(2 ** 24 - 4 + more)]: 1 } }),
  ],
  ["16,777,216 units of text in a member", "characters of text", (more) => ({ list: "x".repeat(2 ** 24 - 4 + more) })],
];

function lists(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

function many(count: number, value: unknown, more = 0): readonly unknown[] {
  return [...Array.from({ length: count }, () => value), ...Array.from({ length: more }, () => 1)];
}

function wide(members: number): object {
  return Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, 1]));
}

describe("the limits on arguments", () => {
  it.each(LIMITS)("are exact: %s", async (_, message, argsOf) => {
    const guard = await guardOf();
    expect(guard.explain({ tool: "free", args: argsOf(0) })).toEqual([]);
    const [refused] = guard.explain({ tool: "free", args: argsOf(1) });
    expect(refused).toMatchObject({ reason: "arguments_not_json" });
    expect(refused?.found).toContain(message);
  });
});

describe("the object that the caller proposed", () => {
  it("can be changed while the verdict is awaited, and changes nothing", async () => {
    const guard = await guardOf();
    const args = { n: 5, list: [1] };
    const verdict = guard.propose({ tool: "free", args });
    args.n = 500;
    args.list.push(2);
    expect(told(await verdict)).toBe("allow");
    expect(guard.state().aggregates).toEqual({ total: 5 });
  });

  it("cannot be corrected while the verdict is awaited", async () => {
    const guard = await guardOf();
    const args = { n: 500, list: [] };
    const verdict = guard.propose({ tool: "free", args });
    args.n = 1;
    expect(told(await verdict)).toBe("aggregate_exceeded");
  });

  it("can be changed after the verdict, and neither the binding nor the state changes with it", async () => {
    const guard = await guardOf();
    const args = { n: 1, list: [{ a: 1 }] };
    const verdict = await guard.propose({ tool: "free", args });
    args.list.push({ a: 2 });
    if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output: {} });
    args.list.push({ a: 3 });
    expect(guard.state()).toMatchObject({ bindings: { list: [{ a: 1 }] }, aggregates: { total: 1 } });
  });

  it("is not the object that the state gives back, so that changing that changes nothing either", async () => {
    const guard = await guardOf();
    const verdict = await guard.propose({ tool: "free", args: { list: [1] } });
    if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output: {} });
    const { bindings } = guard.state();
    if (Array.isArray(bindings.list)) bindings.list.push(2);
    expect(guard.state().bindings).toEqual({ list: [1] });
  });
});
