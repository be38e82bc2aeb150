import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.js";
import { BadRecord } from "../../../../src/guard/durable/log-record.js";
import { decodeSnapshot, encodeSnapshot } from "../../../../src/guard/durable/session-snapshot.js";
import type { Program } from "../../../../src/guard/program/program.js";
import { advance } from "../../../../src/guard/session/advance.js";
import type { SessionEvent } from "../../../../src/guard/session/event.js";
import { newSession, type Session } from "../../../../src/guard/session/session.js";
import { DENSE_PACK } from "./dense-pack.js";
import { programOf } from "./snapshot-text.js";

/** Whatever a hostile snapshot holds must not show in an error. */
const SECRET = "s3cret";
const program: Program = programOf(DENSE_PACK, {});

function reserved(serial: number, tool: string, args: JsonObject): SessionEvent {
  const key = `key ${serial}`;
  return { kind: "reserved", callId: `call_${serial}`, tool, args: { id: "e1", ...args }, isApproved: false, key };
}

const REQUEST = {
  ...{ id: "approval_6", callId: "call_6", tool: "pay", args: {}, deadline: 5, artifactHash: "a" },
  onTimeout: "allow",
} as const;

const EVENTS: readonly SessionEvent[] = [
  reserved(1, "ask", { n: 2 }),
  { kind: "settled", callId: "call_1", ending: "committed", sign: "success", output: { ok: false } },
  reserved(2, "look", { s: "a" }),
  reserved(3, "pay", { n: 1, m: 0.5, s: "a" }),
  reserved(4, "move", {}),
  { kind: "settled", callId: "call_4", ending: "released", sign: "neither", isDenied: true },
  { kind: "late_result", callId: "call_4" },
  reserved(5, "ghost", {}),
  { kind: "approval_requested", request: REQUEST },
  { kind: "approval_ended", approvalId: "approval_6", end: "expired" },
];

function sampleSession(): Session {
  const session = newSession(program);
  for (const event of EVENTS) advance(program, session, event);
  return session;
}

type Path = readonly (string | number)[];

/** The sample with another value at a place; `__proto__` is set as a field of its own. */
function changed(path: Path, value: unknown): unknown {
  const state: unknown = JSON.parse(JSON.stringify(encodeSnapshot(sampleSession())));
  const [last = "", ...rest] = path.toReversed();
  const parent = rest.toReversed().reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), state);
  if (value === undefined) Reflect.deleteProperty(Object(parent), last);
  else Object.defineProperty(Object(parent), last, { value, enumerable: true, configurable: true, writable: true });
  return state;
}

function frame(fields: object): string {
  const known = { v: 1, session: "s", hash: "h", artifact: program.artifact.hash, role: null, state: "" };
  return JSON.stringify({ ...known, ...fields });
}

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (cause) {
    expect(cause).toBeInstanceOf(BadRecord);
    return cause instanceof Error ? cause.message : "";
  }
  throw new Error("it was accepted");
}

const decode = (state: unknown) => decodeSnapshot(frame({})).decode(program, state);
const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
const PRIOR = { step: -1, satisfies: true, miss: null };
const WRITE = { value: [1], openCall: null, awaited: null };
const CALL = {
  ...{ id: "call_9", tool: "pay", args: {}, step: -1, status: "running", origin: "proposed", key: null, since: null },
  ...{ blocksBefore: 0, isSuperseded: false, priors: [] },
};

/** By what is wrong: where, and what is there instead. */
const WRONG: readonly (readonly [string, Path, unknown])[] = [
  ["a missing field", ["cost"], undefined],
  ["an unknown field", [SECRET], 1],
  ["a field of that name", ["__proto__"], { isKilled: true }],
  ["a text for a flag", ["isKilled"], SECRET],
  ["a word that every object inherits", ["killedBy"], "toString"],
  ["a phase of no program", ["phase"], SECRET],
  ["no phase where there are phases", ["phase"], null],
  ["a negative count", ["toolCalls"], -1],
  ["a broken count", ["openSteps"], 0.5],
  ["a count as text", ["issued"], SECRET],
  ["an object for a map", ["callsOf"], { look: 1 }],
  ["an entry without a value", ["callsOf", 0], ["look"]],
  ["an entry with too much", ["callsOf", 0], ["look", 1, 1]],
  [
    "one key twice",
    ["callsOf"],
    [
      ["look", 1],
      ["look", 1],
    ],
  ],
  ["a tool that nothing counts", ["callsOf"], [[SECRET, 1]]],
  ["a tool of that name that nothing counts", ["callsOf"], [["__proto__", 1]]],
  ["a slot of no tool", ["slots"], [[SECRET, [WRITE]]]],
  ["a slot that every object inherits", ["slots"], [["constructor", [WRITE]]]],
  ["a slot of that name", ["slots"], [["__proto__", [WRITE]]]],
  ["a slot without writes", ["slots"], [["x", []]]],
  ["a write with two values", ["slots"], [["x", [{ ...WRITE, value: [1, 2] }]]]],
  ["a write behind one of a settled call", ["slots"], [["x", [WRITE, WRITE]]]],
  ["a write of no call", ["slots"], [["x", [{ ...WRITE, openCall: SECRET }]]]],
  ["a write of a call that has not happened", ["slots"], [["y", [{ ...WRITE, openCall: "call_3" }]]]],
  ["a write of a call without a contract", ["slots"], [["x", [{ ...WRITE, openCall: "call_5" }]]]],
  ["an awaited value that is there", ["slots", 0, 1, 0, "value"], [1]],
  ["an awaited path that the tool does not bind", ["slots", 0, 1, 0, "awaited"], "$.m"],
  ["an awaited path of arguments", ["slots"], [["y", [{ value: [], openCall: "call_2", awaited: "$.s" }]]]],
  ["an awaited value of a settled call", ["slots"], [["x", [{ value: [], openCall: null, awaited: "$.n" }]]]],
  ["too few preconditions", ["priors"], []],
  ["too many preconditions", ["priors", 3], []],
  ["a prior call of no call", ["priors", 0], [["", [7]]]],
  ["one prior call twice", ["priors", 0], [["", [0, 0]]]],
  ["a prior call under another entity", ["priors", 0], [["other", [0]]]],
  ["a prior call under another precondition", ["priors", 1], [["", [0]]]],
  ["a prior call with an unknown condition", ["priors", 0], [["", [{ ...PRIOR, miss: { entry: 2, found: "" } }]]]],
  ["a step before the first", ["priors", 0], [["", [{ ...PRIOR, step: -2 }]]]],
  ["a call without its prior calls", ["unsettled", 0, "priors"], []],
  ["a call with more prior calls than watched", ["unsettled", 1, "priors"], [PRIOR]],
  ["a call without a contract that is watched", ["unsettled", 2, "priors"], [PRIOR]],
  ["another tool than the writes are of", ["unsettled", 0, "tool"], SECRET],
  ["a tool that is no text", ["unsettled", 0, "tool"], null],
  ["two calls with one id", ["unsettled", 3], { ...CALL, id: "call_3" }],
  ["an unknown status", ["unsettled", 1, "status"], "__proto__"],
  ["an unknown origin", ["unsettled", 1, "origin"], SECRET],
  ["arguments that are nested too deep", ["unsettled", 1, "args"], nested(5000)],
  ["no aggregates", ["aggregates"], []],
  ["an aggregate too many", ["aggregates", 6], { total: 0, extreme: null, distinct: [] }],
  ["a sum that is no sum", ["aggregates", 0, "total"], SECRET],
  ["a broken sum", ["aggregates", 0, "total"], 0.5],
  ["a sum that takes all memory", ["aggregates", 0, "total"], "1e999999999"],
  ["an extreme that is no number", ["aggregates", 2, "extreme"], "5"],
  ["a distinct value twice", ["aggregates", 4, "distinct"], ["a", "a"]],
  ["no envelopes", ["references"], []],
  ["an envelope too many", ["references", 3], []],
  ["a reference that the envelope has not", ["references", 0], [["last", [WRITE]]]],
  ["a reference of that name", ["references", 0], [["__proto__", [WRITE]]]],
  ["a late result of no call", ["late"], [SECRET]],
  ["a denied call without arguments", ["denied", 0, 1, "args"], undefined],
  ["an approval that is none", ["approval"], { id: SECRET }],
  ["an approval with an unknown field", ["approval"], { ...REQUEST, [SECRET]: 1 }],
  ["an unknown end", ["answered", 0, 1, "end"], "valueOf"],
  ["a rule without a line", ["answered", 0, 1, "rule"], { file: SECRET }],
  ["one request twice", ["resumable"], [REQUEST, REQUEST]],
  ["a key without a digest", ["keys", 0, 1, "digest"], null],
  ["labels that are no texts", ["labels"], [1]],
];

describe("a snapshot of a session", () => {
  beforeAll(() => {
    // Otherwise what follows would be rejected for other reasons.
    expect(encodeSnapshot(decode(changed(["isKilled"], false)))).toEqual(encodeSnapshot(sampleSession()));
  });

  it.each(WRONG)("is rejected with %s", (_, path, value) => {
    expect(messageOf(() => decode(changed(path, value)))).not.toContain(SECRET);
  });

  it.each([null, [], SECRET, 5, undefined, [[]]])("is rejected if its state is %j", (state) => {
    expect(messageOf(() => decode(state))).not.toContain(SECRET);
  });

  it("takes names that every object inherits as names", () => {
    const text = JSON.stringify(encodeSnapshot(sampleSession()))
      .replace('"labels":[]', '"labels":["__proto__","constructor"]')
      .replace('"args":{"id":"e1","n":1', '"args":{"__proto__":{"polluted":true},"id":"e1","n":1');
    const { labels, unsettled } = decode(JSON.parse(text));
    expect([...labels]).toEqual(["__proto__", "constructor"]);
    const args = Object(unsettled.find("call_3")?.args);
    expect(Object.hasOwn(args, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });
});

describe("the text of a snapshot", () => {
  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["nothing", "null"],
    ["of a later version", frame({ v: 2, [SECRET]: 1 })],
    ["of no version", frame({ v: SECRET })],
    ["without a session", frame({ session: null })],
    ["without a hash", frame({ hash: null })],
    ["without an artifact", frame({ artifact: 5 })],
    ["with a role that is no text", frame({ role: 5 })],
    ["with a state that is no text", frame({ state: {} })],
    ["with an unknown field", frame({ [SECRET]: 1 })],
    ["with such a field", '{"v":1,"session":"s","hash":"h","artifact":"a","role":null,"__proto__":{"state":""}}'],
  ])("is rejected if it is %s", (_, text) => {
    expect(messageOf(() => decodeSnapshot(text))).not.toContain(SECRET);
  });

  it("says that a later version is needed", () => {
    expect(messageOf(() => decodeSnapshot(frame({ v: 2, more: 1 })))).toMatch(/later than 1/);
  });

  it("has what it was written with", () => {
    const { hash, artifact, role, state } = decodeSnapshot(frame({ role: "clerk", state: "sealed" }));
    expect([hash, artifact, role, state]).toEqual(["h", program.artifact.hash, "clerk", "sealed"]);
  });
});
