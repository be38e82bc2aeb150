import { describe, expect, it } from "vitest";
import { unreachable } from "../../../../src/base/invariant.js";
import { decodeEvent } from "../../../../src/guard/session/decode-event.js";
import type { SessionEvent } from "../../../../src/guard/session/event.js";

const REQUEST = {
  id: "approval_1",
  callId: "call_1",
  tool: "pay",
  args: { n: 1 },
  deadline: 5,
  onTimeout: "deny",
  artifactHash: "sha256-0",
} as const;

const EVENTS: readonly SessionEvent[] = [
  { kind: "reserved", callId: "call_1", tool: "pay", args: { n: [1, { a: null }] }, isApproved: false },
  { kind: "reserved", callId: "call_1", tool: "pay", args: {}, isApproved: true, key: "k" },
  { kind: "blocked" },
  { kind: "settled", callId: "call_1", ending: "committed", sign: "success", output: { ok: [true] } },
  { kind: "settled", callId: "call_1", ending: "indeterminate", sign: "error" },
  { kind: "step_begun" },
  { kind: "cost_recorded", usd: 0.5 },
  { kind: "label_added", label: "hot" },
  { kind: "killed", why: "" },
  { kind: "approval_requested", request: REQUEST },
  { kind: "approval_requested", request: { ...REQUEST, key: "k", rule: { file: "pay.yaml", line: 7 } } },
  { kind: "approval_ended", approvalId: "approval_1", end: "denied", by: "ann", note: "no" },
  { kind: "approval_ended", approvalId: "approval_1", end: "expired" },
  { kind: "approval_ended", approvalId: "approval_1", end: "withdrawn" },
];

describe("decoding an event", () => {
  it.each(EVENTS.map((event) => [event.kind, event] as const))("gives a copy of it: %s", (_, event) => {
    const copy = decodeEvent(JSON.parse(JSON.stringify(event)));
    expect(copy).toEqual(event);
    expect(decodeEvent(event)).not.toBe(event);
  });

  it.each(EVENTS.map((event) => [event.kind, event] as const))("refuses it with any field changed: %s", (_, event) => {
    for (const [key, value] of Object.entries(event)) {
      const changed = typeof value === "object" && key !== "request" ? Symbol("other") : { other: 1 };
      expect(() => decodeEvent({ ...event, [key]: changed })).toThrow();
      if (!["output", "key", "by", "note"].includes(key)) {
        expect(() => decodeEvent({ ...event, [key]: undefined })).toThrow();
      }
    }
    expect(() => decodeEvent({ ...event, further: 1 })).toThrow("an unknown field");
  });

  it("refuses costs below zero and requests with odd fields", () => {
    expect(() => decodeEvent({ kind: "cost_recorded", usd: -1 })).toThrow("usd");
    for (const key of Object.keys(REQUEST)) {
      const request = { ...REQUEST, [key]: Symbol("other") };
      expect(() => decodeEvent({ kind: "approval_requested", request })).toThrow(key);
    }
  });
});

describe("a case that cannot be", () => {
  it.each([
    [{ kind: "paid", note: "s3cret" }, "unexpected case `paid`"],
    [{ kind: "s3cret, and more of it" }, "unexpected case of type object"],
    [{ note: "s3cret" }, "unexpected case of type object"],
    ["a long text, s3cret", "unexpected case of type string"],
  ])("is named without its content: %j", (value, message) => {
    const reach = () => Reflect.apply(unreachable, null, [value]);
    expect(reach).toThrow(message);
    expect(reach).not.toThrow("s3cret");
  });
});
