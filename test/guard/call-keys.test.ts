import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions, ProposedCall, RecordedAnswer, Verdict } from "../../src/guard/public.js";
import { memory } from "../support/durable-guard.js";
import { foreign } from "../support/faulty-store.js";
import { artifactOf } from "../support/guard-artifact.js";
import { TestClock } from "../support/guard-clock.js";
import { told } from "../support/guard-steps.js";
import { MemoryStore } from "../support/guard-store.js";

const PACK = `
#== session.yaml (with the required fields)
policy: { label_gates: [{ when_label: hot, deny_tools: [slow], reason: Hot }] }
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 1000, reason: Budget }]
#== pay.yaml (with the required fields)
side_effect: financial
checkpoint: { when: [{ path: $.n, gte: 500 }], timeout_seconds: 60 }
#== tip.yaml (with the required fields)
side_effect: financial
#== slow.yaml (with the required fields)
side_effect: write
checkpoint: { when: always, timeout_seconds: 60, on_timeout: allow }
`;

const pay = (n: number, callKey?: string) => ({
  tool: "pay",
  args: { n, to: "ann" },
  ...(callKey === undefined ? {} : { callKey }),
});
const guardWith = (options: GuardOptions = {}) =>
  createGuard(artifactOf(PACK), { env: {}, approver: "manual", ...options });
const idOf = (verdict: Verdict | RecordedAnswer) => ("callId" in verdict ? verdict.callId : told(verdict));
const approvalOf = (verdict: Verdict) => (verdict.kind === "approval_required" ? verdict.approvalId : told(verdict));
const settle = (guard: Guard, callId: string) => guard.settle(callId, { kind: "result", output: {} });

describe("a call proposed again under its key", () => {
  it("is the same call, is marked, and is reserved once", async () => {
    const guard = await guardWith();
    expect(await guard.propose(pay(10, "k"))).toEqual({ kind: "allow", callId: "call_1" });
    const again = { tool: "pay", args: { to: "ann", n: 10 }, callKey: "k" };
    for (let time = 0; time < 3; time++) {
      expect(await guard.propose(again)).toEqual({ kind: "allow", callId: "call_1", repeated: true });
    }
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 10 } });
  });

  it("is the same call also while its outcome is unknown", async () => {
    const guard = await guardWith();
    await guard.settle(idOf(await guard.propose(pay(10, "k"))), { kind: "timeout", sent: true });
    expect(await guard.propose(pay(10, "k"))).toMatchObject({ callId: "call_1", repeated: true });
  });

  it("is refused once it has settled, however it ended", async () => {
    const guard = await guardWith();
    await settle(guard, idOf(await guard.propose(pay(10, "k"))));
    expect(told(await guard.propose(pay(10, "k")))).toBe("call_key_used");
    await guard.settle(idOf(await guard.propose(pay(10, "l"))), { kind: "did_not_happen" });
    expect(told(await guard.propose(pay(10, "l")))).toBe("call_key_used");
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 10 } });
  });

  it("is refused with other arguments, and with another tool", async () => {
    const guard = await guardWith();
    const callId = idOf(await guard.propose(pay(10, "k")));
    expect(told(await guard.propose(pay(11, "k")))).toBe("call_key_mismatch");
    expect(told(await guard.propose({ ...pay(10, "k"), tool: "tip" }))).toBe("call_key_mismatch");
    await settle(guard, callId);
    expect(told(await guard.propose(pay(11, "k")))).toBe("call_key_mismatch");
  });

  it("is refused first for a kill", async () => {
    const guard = await guardWith();
    await guard.propose(pay(10, "k"));
    await guard.kill("stop");
    expect(told(await guard.propose(pay(10, "k")))).toBe("session_killed");
    expect(told(await guard.propose(pay(11, "k")))).toBe("session_killed");
  });

  it("is refused first for a pause by another call", async () => {
    const guard = await guardWith();
    await guard.propose(pay(10, "k"));
    await guard.propose(pay(500, "l"));
    expect(told(await guard.propose(pay(10, "k")))).toBe("session_paused");
    expect(told(await guard.propose(pay(11, "k")))).toBe("session_paused");
  });

  it("is not proposed again by a call without a key, or with another", async () => {
    const guard = await guardWith();
    const calls = [pay(10, "k"), pay(10), pay(10, "l"), pay(10)];
    const ids = [];
    for (const call of calls) ids.push(idOf(await guard.propose(call)));
    expect(new Set(ids).size).toBe(4);
  });

  it("in one moment with the first is reserved once", async () => {
    const guard = await guardWith({ store: new MemoryStore() });
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => guard.propose(pay(10, "k"))));
    expect(new Set(verdicts.map(idOf))).toEqual(new Set(["call_1"]));
    expect(verdicts.filter((verdict) => verdict.kind === "allow" && verdict.repeated !== true)).toHaveLength(1);
  });
});

describe("a call that waits for an approval", () => {
  it("holds its key: proposed again it waits under the same ids, and no approver is asked again", async () => {
    let asked = 0;
    const approver = () => {
      asked += 1;
      return new Promise<never>(() => undefined);
    };
    const guard = await guardWith({ approver });
    const requests: unknown[] = [];
    guard.on("approval_requested", (event) => requests.push(event));
    void guard.propose(pay(500, "k"));
    const again = await guard.propose(pay(500, "k"));
    expect(again).toMatchObject({ kind: "approval_required", callId: "call_1", repeated: true });
    expect([asked, requests.length]).toEqual([1, 1]);
    expect(told(await guard.propose(pay(501, "k")))).toBe("session_paused");
  });

  it("keeps its key once it is approved", async () => {
    const guard = await guardWith();
    const callId = idOf(await guard.approve(approvalOf(await guard.propose(pay(500, "k"))), { by: "ann" }));
    expect(await guard.propose(pay(500, "k"))).toEqual({ kind: "allow", callId, repeated: true });
    await settle(guard, callId);
    expect(told(await guard.propose(pay(500, "k")))).toBe("call_key_used");
  });

  it("frees it when it is denied", async () => {
    const guard = await guardWith();
    await guard.deny(approvalOf(await guard.propose(pay(500, "k"))), { by: "ann" });
    expect(await guard.propose(pay(501, "k"))).toMatchObject({ kind: "approval_required", callId: "call_2" });
  });

  it("frees it when it expires", async () => {
    const clock = new TestClock();
    const guard = await guardWith({ clock });
    await guard.propose(pay(500, "k"));
    clock.advance(60_000);
    expect(await guard.propose(pay(10, "k"))).toEqual({ kind: "allow", callId: "call_2" });
    expect(await guard.propose(pay(10, "k"))).toMatchObject({ callId: "call_2", repeated: true });
  });

  it("frees it when it is refused after it was approved", async () => {
    const guard = await guardWith();
    const asked = await guard.propose({ tool: "slow", args: {}, callKey: "k" });
    await guard.addLabel("hot");
    expect(told(await guard.approve(approvalOf(asked), { by: "ann" }))).toBe("label_gated");
    expect(await guard.propose(pay(20, "k"))).toEqual({ kind: "allow", callId: "call_2" });
  });

  it("keeps it past its deadline where silence lets it through, so that it is made once", async () => {
    const clock = new TestClock();
    const guard = await guardWith({ clock });
    const slow = { tool: "slow", args: {}, callKey: "k" };
    const approvalId = approvalOf(await guard.propose(slow));
    clock.advance(60_000);
    expect(told(await guard.propose(pay(10, "k")))).toBe("call_key_mismatch");
    for (let again = 0; again < 2; again++) {
      expect(await guard.propose(slow)).toMatchObject({ kind: "approval_required", approvalId, repeated: true });
    }
    expect(await guard.resume(approvalId)).toEqual({ kind: "allow", callId: "call_1" });
    expect(await guard.propose(slow)).toEqual({ kind: "allow", callId: "call_1", repeated: true });
    expect(guard.state().unsettled).toHaveLength(1);
  });
});

describe("a refused call", () => {
  it("leaves its key to others", async () => {
    const guard = await guardWith();
    expect(told(await guard.propose(pay(1001, "k")))).toBe("aggregate_exceeded");
    expect(told(await guard.propose({ tool: "none", args: {}, callKey: "k" }))).toBe("unmatched_tool");
    expect(await guard.propose(pay(10, "k"))).toEqual({ kind: "allow", callId: "call_1" });
  });
});

describe("a key", () => {
  it.each(["null", "7", '""', "{}", '["k"]', JSON.stringify("x".repeat(257)), JSON.stringify("x".repeat(100_000))])(
    "is a text of 1 to 256 characters: %.20s",
    async (given) => {
      const guard = await guardWith();
      await expect(guard.propose({ ...pay(10), callKey: foreign(given) })).rejects.toThrow(TypeError);
      expect(guard.state().toolCalls).toBe(0);
    },
  );

  it.each(["x".repeat(256), "😀".repeat(256), "__proto__"])("may be %.10s", async (callKey) => {
    const guard = await guardWith();
    await guard.propose(pay(10, callKey));
    expect(await guard.propose(pay(10, callKey))).toMatchObject({ repeated: true });
  });

  it("survives a restart, with the call and after it", async () => {
    const options = { store: new MemoryStore(), sessionId: "s" };
    await (await guardWith(options)).propose(pay(10, "k"));
    const second = await guardWith(options);
    expect(await second.propose(pay(10, "k"))).toEqual({ kind: "allow", callId: "call_1", repeated: true });
    await settle(second, "call_1");
    const asked = await second.propose(pay(500, "l"));
    const third = await guardWith(options);
    expect(told(await third.propose(pay(11, "k")))).toBe("session_paused");
    expect(await third.propose(pay(500, "l"))).toMatchObject({ approvalId: approvalOf(asked), repeated: true });
    await third.deny(approvalOf(asked), { by: "ann" });
    expect(told(await third.propose(pay(10, "k")))).toBe("call_key_used");
  });

  it("is known for 10,000 calls, and as long as its call is open", async () => {
    const guard = await createGuard(artifactOf(PACK), { env: {} });
    await settle(guard, idOf(await guard.propose(pay(1, "settled"))));
    await guard.propose(pay(1, "open"));
    for (let call = 0; call < 9_998; call++) {
      await settle(guard, idOf(await guard.propose({ tool: "tip", args: {}, callKey: `other ${call}` })));
    }
    expect(told(await guard.propose(pay(1, "settled")))).toBe("call_key_used");
    await settle(guard, idOf(await guard.propose({ tool: "tip", args: {} })));
    expect(await guard.propose(pay(1, "settled"))).toEqual({ kind: "allow", callId: "call_10002" });
    expect(await guard.propose(pay(1, "open"))).toMatchObject({ callId: "call_2", repeated: true });
  });
});

describe("a key of a call that silence may still let through", () => {
  it("is known however many calls came after it", async () => {
    const clock = new TestClock();
    const guard = await guardWith({ clock });
    const silent = { tool: "slow", args: {}, callKey: "k" };
    const asked = await guard.propose(silent);
    clock.advance(60_000);
    for (let call = 0; call < 10_001; call++) {
      await settle(guard, idOf(await guard.propose({ tool: "tip", args: {} })));
    }
    expect(await guard.propose(silent)).toMatchObject({ approvalId: approvalOf(asked), repeated: true });
  });
});

describe("in shadow mode", () => {
  it("a repeated call is the same call, and the refusal of enforce mode is reported", async () => {
    const guard = await guardWith({ mode: "shadow" });
    const callId = idOf(await guard.propose(pay(10, "k")));
    expect(await guard.propose(pay(10, "k"))).toEqual({ kind: "allow", callId, repeated: true });
    expect(told(await guard.propose(pay(11, "k")))).toBe("allow, would call_key_mismatch");
  });
});

describe("arguments that are JSON but no object", () => {
  it.each(["shadow", "log-only"] as const)("are known by their key in mode %s", async (mode) => {
    const guard = await guardWith({ mode });
    const list = { tool: "tip", args: [1], callKey: "k" };
    expect(await guard.propose(list)).toMatchObject({ kind: "allow", callId: "call_1" });
    expect(await guard.propose(list)).toMatchObject({ kind: "allow", callId: "call_1", repeated: true });
    expect(guard.state().toolCalls).toBe(1);
  });

  it.each(["in memory", "kept"])(
    "are another call where they differ, and refused for what they are: %s",
    async (where) => {
      const kept = where === "kept" ? { store: await memory() } : {};
      const guard = await guardWith({ mode: "shadow", ...kept });
      const given = [[1], [2], "text"].map((args) => ({ tool: "tip", args, callKey: "k" }));
      const verdicts = [];
      for (const call of given) verdicts.push(await guard.propose(call));
      expect(verdicts.map(told)).toEqual(given.map(() => "allow, would arguments_not_json"));
      expect(told(await guard.propose({ tool: "tip", args: {}, callKey: "k" }))).toBe("allow, would call_key_mismatch");
      expect(guard.state().toolCalls).toBe(4);
    },
  );
});

describe("a proposed call with a member that is unknown", () => {
  it.each([
    ["callkey", 'a proposed call has no "callkey"; did you mean `callKey`?'],
    ["call_key", 'a proposed call has no "call_key"; did you mean `callKey`?'],
    ["idempotencyKey", 'a proposed call has no "idempotencyKey"; it may have tool, args, callKey, wrapped'],
  ])("is a TypeError that changes nothing: %s", async (name, message) => {
    const guard = await guardWith();
    await expect(guard.propose({ ...pay(10), [name]: "k" })).rejects.toThrow(new TypeError(message));
    expect(guard.state()).toMatchObject({ toolCalls: 0, steps: 0 });
  });

  it("is none if it has only the id of a model's call, or what all objects have", async () => {
    const guard = await guardWith();
    const inherited = Object.assign(Object.create({ trace: () => undefined }), pay(10));
    for (const call of [{ id: "toolu_1", ...pay(10) }, inherited])
      expect(told(await guard.propose(call))).toBe("allow");
  });
});

describe("explaining a call that has a key", () => {
  const explained = (guard: Guard, call: ProposedCall) => guard.explain(call).map(told);

  /** Explained and then proposed: the first refusal that is listed is that of the proposal. */
  async function both(guard: Guard, call: ProposedCall) {
    const listed = explained(guard, call);
    expect(listed[0] ?? "none").toBe(told(await guard.propose(call)).replace(/^(allow|approval_required)$/, "none"));
    return listed;
  }

  it("says that the key belongs to another call, before what else refuses the call", async () => {
    const guard = await guardWith();
    await guard.propose(pay(10, "k"));
    expect(await both(guard, pay(11, "k"))).toEqual(["call_key_mismatch"]);
    expect(await both(guard, pay(5000, "k"))).toEqual(["call_key_mismatch", "aggregate_exceeded"]);
    expect(explained(guard, pay(11))).toEqual([]);
  });

  it("says that the call was made before", async () => {
    const guard = await guardWith();
    await settle(guard, idOf(await guard.propose(pay(10, "k"))));
    expect(await both(guard, pay(10, "k"))).toEqual(["call_key_used"]);
  });

  it("finds nothing that refuses a repeated one, which is not judged again", async () => {
    const guard = await guardWith();
    await guard.propose(pay(400, "k"));
    await guard.propose(pay(499));
    expect(await both(guard, pay(400))).toEqual(["aggregate_exceeded"]);
    expect(await both(guard, pay(400, "k"))).toEqual([]);
  });

  it("finds a pause by another call, and none by its own approval", async () => {
    const guard = await guardWith();
    await guard.propose(pay(10, "k"));
    await guard.propose(pay(500, "w"));
    expect(await both(guard, pay(10, "k"))).toEqual(["session_paused"]);
    expect(await both(guard, pay(11, "k"))).toEqual(["session_paused", "call_key_mismatch"]);
    expect(await both(guard, pay(500, "w"))).toEqual([]);
    await guard.kill("enough");
    expect(await both(guard, pay(500, "w"))).toEqual(["session_killed"]);
  });

  it("takes a key of another kind for a TypeError, as a proposal does", async () => {
    const guard = await guardWith();
    expect(() => guard.explain({ ...pay(10), callKey: foreign("7") })).toThrow(TypeError);
  });
});

describe("a proposed call of another kind", () => {
  const none: ProposedCall = foreign("null");

  it("is a TypeError that says what it should be", async () => {
    const guard = await guardWith();
    const message = "a proposed call is an object with `tool` and `args`";
    await expect(guard.propose(none)).rejects.toThrow(new TypeError(message));
    expect(() => guard.explain(none)).toThrow(new TypeError(message));
  });

  it.each(["1", '"yes"', "null", "{}"])("cannot be `wrapped: %s`, which would be taken for no", async (wrapped) => {
    const guard = await guardWith();
    const call = { ...pay(10), callKey: "k", wrapped: foreign(wrapped) };
    const message = "`wrapped` of a proposed call must be true, or left out";
    await expect(guard.propose(call)).rejects.toThrow(new TypeError(message));
    expect(guard.state()).toMatchObject({ toolCalls: 0, steps: 0 });
  });
});
