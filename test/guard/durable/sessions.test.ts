import { describe, expect, it, onTestFinished } from "vitest";
import { contentHash } from "../../../src/base/canonical-json.js";
import { createGuard } from "../../../src/guard/guard.js";
import {
  approvalIdOf,
  callIdOf,
  memory,
  PAYMENTS,
  pay,
  paymentGuard,
  recordsOf,
  SESSION,
} from "../../support/durable-guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { told } from "../../support/guard-steps.js";
import { LossyStore } from "../../support/lossy-store.js";

/** Slots that forget the first of three matches. */
const MATCHES = `
#== session.yaml (with the required fields)
schema_version: "1.1"
slot_limits: { line: 2, seen: 2 }
#== look.yaml (with the required fields)
binds:
  - { name: line, source: output, path: "$.lines.*", key: "@.id" }
  - { name: seen, source: output, path: "$.lines.*.n", collect: union }
`;

const RESULT = { kind: "result", output: { receipt: "r-1" } } as const;

describe("a session in a durable store", () => {
  it("goes on in another guard where the first one stopped", async () => {
    const store = await memory();
    const one = await paymentGuard(store);
    await one.beginStep();
    await one.addLabel("cold");
    await one.recordCost(0.25);
    await one.settle(callIdOf(await one.propose(pay(60))), RESULT);
    const open = callIdOf(await one.propose({ ...pay(50), callKey: "k" }));
    const other = await paymentGuard(store);
    expect(other.state()).toEqual(one.state());
    expect(other.unsettled()).toMatchObject([{ callId: open, key: "k", session: SESSION, origin: "proposed" }]);
    expect(told(await other.propose(pay(41)))).toBe("aggregate_exceeded");
    expect(await other.propose({ ...pay(50), callKey: "k" })).toEqual({ kind: "allow", callId: open, repeated: true });
    expect(await other.settle(open, RESULT)).toEqual({ accepted: true });
    expect(told(await one.propose({ ...pay(50), callKey: "k" }))).toBe("call_key_used");
    expect(told(await one.propose({ ...pay(5), callKey: "k" }))).toBe("call_key_mismatch");
  });

  it("binds what a guard without a store binds, whatever the order of members", async () => {
    const artifact = artifactOf(MATCHES);
    const stored = await createGuard(artifact, { env: {}, sessionId: SESSION, store: await memory() });
    const alone = await createGuard(artifact, { env: {} });
    const lines = { z: { id: "p", n: 1 }, a: { id: "q", n: 2 }, k: { id: "r", n: 3 } };
    for (const guard of [stored, alone]) {
      const callId = callIdOf(await guard.propose({ tool: "look", args: {} }));
      await guard.settle(callId, { kind: "result", output: { lines } });
    }
    expect(alone.state().bindings).toEqual(stored.state().bindings);
  });

  it("is a chain of records with every verdict", async () => {
    const store = await memory();
    const guard = await paymentGuard(store, { principal: { id: "p-1" } });
    await guard.propose(pay(50));
    await guard.propose(pay(500));
    await guard.propose({ tool: "ghost", args: { secret: "s3cret" } });
    await guard.propose({ tool: 7 as unknown as string, args: {} });
    await guard.kill("enough");
    await guard.propose(pay(1));
    const records = await recordsOf(store);
    expect(records.map(({ n }) => n)).toEqual(records.map((_, at) => at + 1));
    records.forEach(({ prev }, at) => {
      expect(prev).toBe(at === 0 ? contentHash('{"session":"ticket-7"}') : records[at - 1]?.hash);
    });
    const reasons = records.flatMap(({ note }) => (note?.verdict === undefined ? [] : [told(note.verdict as never)]));
    expect(reasons).toEqual(["allow", "aggregate_exceeded", "unmatched_tool", "unmatched_tool", "session_killed"]);
    expect(JSON.stringify(records)).not.toMatch(/s3cret|p-1/);
  });

  it("keeps what rules read of the arguments and outputs, and nothing else", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    await guard.settle(callIdOf(await guard.propose(pay(50, { card: "4111-card" }))), RESULT);
    await guard.propose(pay(101, { card: "4111-card" }));
    const text = JSON.stringify(await recordsOf(store));
    expect(text).toContain('"amount":50');
    expect(text).not.toMatch(/4111-card|r-1/);
  });

  it("keeps everything where that is asked for", async () => {
    const store = await memory();
    const guard = await paymentGuard(store, { storeArguments: "all" });
    await guard.settle(callIdOf(await guard.propose(pay(50, { card: "4111-card" }))), RESULT);
    expect(JSON.stringify(await recordsOf(store))).toMatch(/4111-card.*r-1/);
  });

  it("shows nothing readable where it is sealed, and goes on for who can open it", async () => {
    const store = await memory();
    const pair = {
      seal: async (text: string) => Buffer.from(text).toString("base64"),
      open: (text: string) => Buffer.from(text, "base64").toString(),
    };
    const guard = await paymentGuard(store, pair);
    for (let n = 0; n < 130; n++) await guard.settle(callIdOf(await guard.propose(pay(1))), RESULT);
    await guard.propose(pay(101));
    const loaded = await store.load(`session/${SESSION}`);
    expect(loaded.snapshot).not.toBe(null);
    for (const text of [...loaded.records.map(({ data }) => data), loaded.snapshot?.data ?? ""]) {
      expect(text).not.toMatch(/amount|reserved|ann/);
    }
    const other = await paymentGuard(store, pair);
    expect(other.state()).toEqual(guard.state());
    await expect(paymentGuard(store)).rejects.toMatchObject({ reason: "store_unavailable" });
  });

  it("reads a snapshot and what came after it, however long it is", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    for (let n = 0; n < 400; n++)
      await guard.settle(callIdOf(await guard.propose({ tool: "look", args: { n } })), RESULT);
    const { snapshot, records } = await store.load(`session/${SESSION}`);
    expect(snapshot?.revision).toBeGreaterThan(400);
    expect(records.length).toBeLessThan(300);
    expect((await paymentGuard(store)).state()).toEqual(guard.state());
  });

  it("remembers loops by a digest of all arguments, also those that are not kept", async () => {
    const store = await memory();
    const artifact = artifactOf(`
#== session.yaml (with the required fields)
session_limits: { loop_detection: { window: 5, threshold: 2 } }
#== look.yaml (with the required fields)
`);
    const open = () => createGuard(artifact, { store, sessionId: "loop", env: {} });
    const look = (n: number) => ({ tool: "look", args: { n } });
    expect(told(await (await open()).propose(look(1)))).toBe("allow");
    expect(told(await (await open()).propose(look(2)))).toBe("allow");
    expect(told(await (await open()).propose(look(1)))).toBe("loop_detected");
  });

  it.each([
    ["too long", "x".repeat(505)],
    ["too long in bytes", "\u00e9".repeat(253)],
    ["with U+0000", "a\0b"],
    ["with half of a pair", "\ud800"],
  ])("says what is wrong with an id that is %s", async (_, sessionId) => {
    await expect(paymentGuard(await memory(), { sessionId })).rejects.toThrow(/`sessionId` has at most 504 bytes/);
  });

  it.each(["x".repeat(504), "a/b@c", "__proto__", "\u0007", " "])("may have any other id: %j", async (sessionId) => {
    const store = await memory();
    const asked = approvalIdOf(await (await paymentGuard(store, { sessionId })).propose(pay(120)));
    const other = await paymentGuard(store, { sessionId });
    expect(told(await other.approve(asked, { by: "ann" }))).toBe("recorded");
    expect(told(await other.resume(asked))).toBe("allow");
  });

  it("belongs to the artifact that it began with", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    await guard.propose(pay(1));
    const changed = artifactOf(PAYMENTS.replace("lte: 150", "lte: 1500"));
    const refused = createGuard(changed, { store, sessionId: SESSION, env: {} });
    await expect(refused).rejects.toMatchObject({
      name: "SessionRefused",
      verdict: { kind: "block", reason: "artifact_changed" },
    });
  });
});

describe("a result that comes after the call was settled as not happened", () => {
  async function late() {
    const store = await memory();
    const [one, other] = [await paymentGuard(store), await paymentGuard(store)];
    const callId = callIdOf(await one.propose(pay(90)));
    await other.settle(callId, { kind: "did_not_happen" });
    expect(await one.settle(callId, RESULT)).toEqual({ accepted: false, reason: "already_settled" });
    return { store, one, other, callId };
  }

  it("is recorded, and blocks everything until somebody acknowledges it", async () => {
    const { store, one, other, callId } = await late();
    expect(told(await one.propose(pay(1)))).toBe("late_result_unacknowledged");
    expect(told(await one.beginStep())).toBe("late_result_unacknowledged");
    expect(told(await other.propose({ tool: "look", args: {} }))).toBe("late_result_unacknowledged");
    expect(told(await (await paymentGuard(store)).propose(pay(1)))).toBe("late_result_unacknowledged");
    expect(await other.settle(callId, RESULT)).toEqual({ accepted: false, reason: "already_settled" });
    expect((await recordsOf(store)).filter(({ event }) => event?.kind === "late_result")).toHaveLength(1);
  });

  it("counts after all where it happened, whatever bound that exceeds", async () => {
    const { one, other, callId } = await late();
    const found = { by: "ann", why: "the bank shows it", happened: true };
    expect(await other.acknowledge(callId, found)).toEqual({ accepted: true });
    expect(await other.acknowledge(callId, found)).toEqual({ accepted: false, reason: "no_late_result" });
    expect(told(await one.propose(pay(61)))).toBe("aggregate_exceeded");
    expect(one.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 90 } });
  });

  it("counts nothing where it did not happen", async () => {
    const { one, callId } = await late();
    await one.acknowledge(callId, { by: "ann", why: "the bank has nothing", happened: false });
    expect(told(await one.propose(pay(99)))).toBe("allow");
  });

  it.each([{}, { by: "ann", why: "", happened: true }, { by: "ann", why: "x", happened: "yes" }, null])(
    "is acknowledged by somebody, for a reason: %j",
    async (given) => {
      const { one, callId } = await late();
      await expect(one.acknowledge(callId, given as never)).rejects.toThrow(TypeError);
    },
  );

  it("needs no acknowledgement where the reservation was never handed out or the call failed itself", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    const callId = callIdOf(await guard.propose(pay(90)));
    await guard.settle(callId, { kind: "error", sent: false });
    expect(await guard.settle(callId, RESULT)).toEqual({ accepted: false, reason: "already_settled" });
    expect(told(await guard.propose(pay(1)))).toBe("allow");
  });
});

describe("calls that an earlier process left behind", () => {
  it("are settled as the resolver found out, by their keys", async () => {
    const store = await memory();
    const before = await paymentGuard(store, { clock: { now: () => 1_000 } });
    for (const key of ["a", "b", "c"]) await before.propose({ ...pay(20), callKey: key });
    const asked: unknown[] = [];
    const guard = await paymentGuard(store, {
      clock: { now: () => 1_000_000_000 },
      resolver: async ({ key, callId, tool }) => {
        asked.push([callId, tool, key]);
        return key === "a" ? "happened" : key === "b" ? "did_not_happen" : "unknown";
      },
    });
    expect(asked).toEqual([
      ["call_1", "pay", "a"],
      ["call_2", "pay", "b"],
      ["call_3", "pay", "c"],
    ]);
    expect(guard.state()).toMatchObject({ toolCalls: 2, unsettled: [{ callId: "call_3" }] });
  });

  it("stay unsettled where the resolver does not answer, and the guard is made all the same", async () => {
    const store = await memory();
    const before = await paymentGuard(store, { clock: { now: () => 1_000 } });
    for (const key of ["a", "b", "c"]) await before.propose({ ...pay(20), callKey: key });
    const asked: unknown[] = [];
    const guard = await paymentGuard(store, {
      clock: { now: () => 1_000_000_000 },
      settleTimeoutMs: 50,
      resolver: ({ key }) => {
        asked.push(key);
        return key === "a" ? Promise.resolve("happened") : new Promise(() => undefined);
      },
    });
    expect(asked).toEqual(["a", "b"]);
    expect(guard.unsettled().map(({ key }) => key)).toEqual(["b", "c"]);
  });

  it("are asked about no more where the store does not take what the resolver found", async () => {
    const inner = await memory();
    const before = await paymentGuard(inner, { clock: { now: () => 1_000 } });
    for (const key of ["a", "b", "c"]) await before.propose({ ...pay(20), callKey: key });
    const store = new LossyStore(inner);
    store.appends = () => "request lost";
    const asked: unknown[] = [];
    const warnings: string[] = [];
    const heard = ({ message }: Error) => warnings.push(message);
    process.on("warning", heard);
    onTestFinished(() => void process.off("warning", heard));
    const guard = await paymentGuard(store, {
      clock: { now: () => 1_000_000_000 },
      ...{ storeTimeoutMs: 20, settleTimeoutMs: 50 },
      resolver: async ({ key }) => {
        asked.push(key);
        return "happened";
      },
    });
    // For each call the guard would wait for the store as long as a settlement may take.
    expect(asked).toEqual(["a"]);
    expect(guard.unsettled()).toHaveLength(3);
    // Warnings come in the next round of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toContain(
      "call_1 and those after it may stay unsettled: what the resolver found could not be recorded (StoreUnavailable)",
    );
  });

  it("are not asked about while another process may still make them", async () => {
    const store = await memory();
    const clock = { now: () => 1_000 };
    await (await paymentGuard(store, { clock })).propose(pay(20));
    const guard = await paymentGuard(store, {
      clock,
      resolver: () => Promise.reject(new Error("must not be asked")),
    });
    expect(guard.unsettled()).toHaveLength(1);
  });
});

describe("kills and labels", () => {
  it("reach every guard before its next call is allowed", async () => {
    const store = await memory();
    const [one, other] = [await paymentGuard(store), await paymentGuard(store)];
    await other.addLabel("hot");
    expect(told(await one.propose(pay(1)))).toBe("label_gated");
    await other.kill("stop");
    expect(told(await one.propose({ tool: "look", args: {} }))).toBe("session_killed");
  });

  it("reach an approval that is pending", async () => {
    const store = await memory();
    const [one, other] = [await paymentGuard(store), await paymentGuard(store)];
    const id = approvalIdOf(await one.propose(pay(120)));
    await other.addLabel("hot");
    expect(told(await one.approve(id, { by: "ann" }))).toBe("label_gated");
  });
});
