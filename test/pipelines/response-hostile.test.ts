import { runInNewContext } from "node:vm";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { AGENT_RESPONSE_SCHEMA } from "../../src/pipelines/response/agent-response-schema.js";
import { RESPONSE_CONTRACT } from "../../src/pipelines/response/response-config.js";
import { checkAgentResponse } from "../../src/pipelines/response/response-contract.js";
import { RESPONSE_WARNINGS } from "../../src/pipelines/response/response-warnings.js";
import { fc } from "../support/fast-check.js";

class Answer {
  readonly final_response = "Done.";
}

class List extends Array<unknown> {}

function throwing(): never {
  throw new Error("s3cret");
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();
const revokedList = Proxy.revocable([], {});
revokedList.revoke();

function throwingRevoked(): never {
  throw revoked.proxy;
}

const unreadable = new Proxy({}, { ownKeys: throwing, get: throwing, getPrototypeOf: throwing });

function cycle(): object {
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  return ring;
}

function nested(depth: number): unknown {
  let value: unknown = "s3cret";
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

/** Sixty lists, each of which holds the next one twice: as a tree, more than a quintillion values. */
function doubled(): unknown {
  let value: unknown = [];
  for (let level = 0; level < 60; level++) value = [value, value];
  return value;
}

function getter(get: () => unknown): object {
  return Object.defineProperty({}, "key", { enumerable: true, get });
}

function listOfLength(length: unknown): unknown {
  return new Proxy([], { get: (list, key) => (key === "length" ? length : Reflect.get(list, key)) });
}

const BODIES: readonly (readonly [string, unknown])[] = [
  ["an instance of a class", new Answer()],
  ["an error", new Error("s3cret")],
  ["a map", new Map([["final_response", "Done."]])],
  ["a promise", Promise.resolve({ final_response: "Done." })],
  ["a boxed text", Object("s3cret")],
  ["a proxy that throws", unreadable],
  ["a revoked proxy", revoked.proxy],
  ["a revoked proxy of a list", revokedList.proxy],
  ["an object of another realm", runInNewContext("({ final_response: 'Done.' })")],
];

const PARTS: readonly (readonly [string, unknown, string, string])[] = [
  ["a cycle", cycle(), "", "a value that is nested too deeply or contains itself"],
  ["101 levels", nested(101), "", "a value that is nested too deeply or contains itself"],
  ["lists that are a huge tree", doubled(), "", "more values than a reply may hold"],
  ["a million values", Array.from({ length: 1_000_000 }, () => 0), "", "more values than a reply may hold"],
  ["a list of no length", [listOfLength(Number.NaN), doubled()], "[0]", "more values than a reply may hold"],
  ["a list of negative length", [listOfLength(-1e12), doubled()], "[0]", "more values than a reply may hold"],
  ["a getter that throws", getter(throwing), ".key", "a value that cannot be read"],
  ["a getter that throws a revoked proxy", getter(throwingRevoked), ".key", "a value that cannot be read"],
  ["a proxy that throws", [unreadable], "[0]", "a value that cannot be read"],
  ["a revoked proxy", [revoked.proxy], "[0]", "a value that cannot be read"],
  ["an instance of a class", [new Answer()], "[0]", "an instance of a class"],
  ["a list of a class", [List.from(["s3cret"])], "[0]", "an instance of a class"],
  ["a list without prototype", [Object.setPrototypeOf([1], null)], "[0]", "an instance of a class"],
  ["a date", { when: new Date(0) }, ".when", "an instance of a class"],
  ["a function", { run: throwing }, ".run", "a function"],
  ["a symbol", [Symbol("s3cret")], "[0]", "a symbol"],
  ["a bigint", [5n], "[0]", "a bigint"],
  ["a number that is none", [Number.NaN], "[0]", "a number that is not finite"],
  ["an infinite number", { n: [Number.POSITIVE_INFINITY] }, ".n[0]", "a number that is not finite"],
  ["a hole in a list", new Array(3), "[0]", "nothing"],
  ["four billion holes in a list", new Array(2 ** 32 - 1), "", "more values than a reply may hold"],
];

describe("a reply that is not JSON", () => {
  it.each(BODIES)("is not ok, and no exception, as %s", (_, body) => {
    expect(checkAgentResponse(body)).toMatchObject({
      ok: false,
      violation: null,
      body: {},
      softWarnings: [{ code: "not_json", path: "$" }],
    });
  });

  it.each(PARTS)("is not ok with %s inside, has the place, and keeps the rest", (_, metadata, place, found) => {
    const { ok, violation, body, softWarnings } = checkAgentResponse({ metadata, final_response: "Done." });
    expect([ok, violation]).toEqual([false, null]);
    expect(body).toEqual({ final_response: "Done." });
    expect(softWarnings[0]).toMatchObject({ code: "not_json", message: `expected plain JSON, found ${found}` });
    expect(softWarnings[0]?.path.startsWith(`$.metadata${place}`)).toBe(true);
    expect(JSON.stringify(softWarnings)).not.toContain("s3cret");
  });

  it.each([
    ["an error", throwing],
    ["a revoked proxy", throwingRevoked],
  ])("is told part by part, also when a getter throws %s after another part was refused", (_, get) => {
    const { softWarnings } = checkAgentResponse({ final_response: "Done.", cost: 5n, metadata: getter(get) });
    expect(softWarnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "$.cost: expected plain JSON, found a bigint",
      "$.metadata.key: expected plain JSON, found a value that cannot be read",
    ]);
  });

  it("can still satisfy the response contract by the rest", () => {
    const messages = [{ role: "assistant", content: "Done." }];
    expect(checkAgentResponse({ final_response: "Done.", messages, cost: 5n }, RESPONSE_CONTRACT)).toMatchObject({
      ok: false,
      violation: null,
      body: { final_response: "Done.", messages },
    });
  });
});

describe("a reply that is JSON in an unusual way", () => {
  it("may be an object without prototype, frozen, or behind a proxy", () => {
    const bare = Object.assign(Object.create(null), { final_response: "Done." });
    for (const body of [bare, Object.freeze({ final_response: "Done." }), new Proxy({ final_response: "Done." }, {})])
      expect(checkAgentResponse(body)).toMatchObject({ ok: true, body: { final_response: "Done." } });
  });

  it("may have keys that name parts of every object", () => {
    const text = '{"final_response":"Done.","__proto__":{"messages":5},"metadata":{"__proto__":1,"constructor":2}}';
    const { ok, body, softWarnings } = checkAgentResponse(JSON.parse(text));
    expect([ok, softWarnings, JSON.stringify(body)]).toEqual([true, [], text]);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });

  it("takes nothing that only a prototype gives", () => {
    const call = JSON.parse('{"function":{"__proto__":{"name":"find"}},"__proto__":{"name":"find"}}');
    const messages = [{ role: "assistant", tool_calls: [call] }];
    expect(checkAgentResponse({ final_response: "Done.", messages }).softWarnings).toMatchObject([
      { code: "nameless_tool_call" },
    ]);
  });

  it("is read once and never changed", () => {
    let reads = 0;
    const body = Object.defineProperty({ messages: [{ role: "assistant", tool_calls: null }] }, "final_response", {
      enumerable: true,
      get: () => {
        reads += 1;
        return "Done.";
      },
    });
    const before = structuredClone(body.messages);
    expect(checkAgentResponse(body).ok).toBe(true);
    expect([reads, body.messages]).toEqual([1, before]);
  });

  it("is short when there are very many faults", () => {
    const tool_calls = Array.from({ length: 100_000 }, () => ({}));
    const { ok, softWarnings } = checkAgentResponse(
      { final_response: "Done.", messages: [{ role: "assistant", tool_calls }] },
      RESPONSE_CONTRACT,
    );
    expect(ok).toBe(false);
    expect(softWarnings).toHaveLength(102);
    expect(softWarnings.slice(-2)).toMatchObject([
      { code: "no_assistant_text" },
      { code: "more_warnings", message: "expected fewer findings, found 99900 more of the kinds listed" },
    ]);
  });

  it("cannot write to a terminal through its keys", () => {
    const { softWarnings } = checkAgentResponse({
      final_response: "Done.",
      "\u001b[2J\u009b\u2028": 5n,
      ["k".repeat(999)]: 5n,
    });
    expect(softWarnings.map(({ path }) => path)).toEqual(["$['\ufffd[2J\ufffd\ufffd']", `$.${"k".repeat(60)}…`]);
  });
});

/** Values near those of a reply, each text marked as private. */
const texts = fc.constantFrom("s3cret", " s3cret ", "", '{"a":"s3cret"}', "assistant", "tool", "function", "text");
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6 },
    texts,
    fc.constantFrom(null, true, 0, 1.5, 7_351_907, undefined),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...["id", "type", "text", "name", "arguments", "function", "x"]), tie("json")),
  ),
}));
const call = fc.record({ id: json, name: json, arguments: json, type: json, function: json }, { requiredKeys: [] });
const message = fc.record(
  {
    role: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("system", "user", "assistant", "tool") }, json),
    content: json,
    tool_call_id: json,
    tool_calls: fc.oneof(fc.array(call, { maxLength: 3 }), json),
    thinking: fc.oneof(fc.array(fc.dictionary(fc.constant("text"), json)), json),
    extra: json,
  },
  { requiredKeys: ["role"] },
);
const reply = fc.record(
  {
    final_response: fc.oneof(texts, json),
    message: json,
    session_done: json,
    messages: fc.oneof(fc.array(message, { maxLength: 4 }), json),
    metadata: fc.oneof(fc.dictionary(fc.constantFrom("model", "total_input_tokens"), json), json),
    extra: json,
  },
  { requiredKeys: [] },
);

const validate = new Ajv2020({ allowUnionTypes: true }).compile(AGENT_RESPONSE_SCHEMA);
const CORRECTED = new Set(["null_field", "nameless_tool_call", "hybrid_tool_call", "foreign_call_type"]);

describe("any reply", () => {
  it("is judged without an exception", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (body) => {
        expect(typeof checkAgentResponse(body, RESPONSE_CONTRACT).ok).toBe("boolean");
      }),
      { numRuns: 500 },
    );
  });

  it("60: comes out as the schema has it, whatever was in it", () => {
    fc.assert(
      fc.property(reply, (body) => {
        const { ok, body: out } = checkAgentResponse(body);
        expect(validate({ ...out, final_response: "" })).toBe(true);
        if (ok) expect(typeof (out.message ?? out.final_response)).toBe("string");
      }),
      { numRuns: 500 },
    );
  });

  it("has no findings left when it is checked again", () => {
    fc.assert(
      fc.property(reply, (body) => {
        const first = checkAgentResponse(body, RESPONSE_CONTRACT);
        const second = checkAgentResponse(first.body, RESPONSE_CONTRACT);
        expect([second.ok, second.violation]).toEqual([first.ok, first.violation]);
        expect(second.softWarnings.filter(({ code }) => CORRECTED.has(code) || code.startsWith("malformed"))).toEqual(
          [],
        );
      }),
      { numRuns: 500 },
    );
  });

  it("is ok exactly when no finding fails it, and never quotes the reply", () => {
    fc.assert(
      fc.property(reply, (body) => {
        const { ok, softWarnings } = checkAgentResponse(body, RESPONSE_CONTRACT);
        expect(softWarnings.some(({ code }) => RESPONSE_WARNINGS[code].fails)).toBe(!ok);
        expect(JSON.stringify(softWarnings)).not.toMatch(/s3cret|7351907/);
      }),
      { numRuns: 500 },
    );
  });
});
