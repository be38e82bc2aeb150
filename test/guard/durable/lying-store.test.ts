import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { DurableStore, LoadedStream } from "../../../src/guard/durable-store.js";
import { approvalIdOf, callIdOf, memory, pay, paymentGuard } from "../../support/durable-guard.js";
import { told } from "../../support/guard-steps.js";

/** A store whose answers to `load` are changed. */
function lying(store: DurableStore, load: (stream: string, after?: number) => Promise<LoadedStream>): DurableStore {
  return Object.assign(Object.create(store) as DurableStore, {
    load: (stream: string, options?: { readonly after?: number }) => load(stream, options?.after),
  });
}

/** Beyond the first snapshot. */
const MANY = 300;

describe("a store that answers with another session", () => {
  it.each([
    ["its records", 1],
    ["its snapshot", MANY],
  ])("is not believed: %s", async (_, count) => {
    const store = await memory();
    const guard = await paymentGuard(store, { sessionId: "other" });
    for (let done = 0; done < count; done++) await guard.beginStep();
    const mixed = lying(store, () => store.load("session/other"));
    await expect(paymentGuard(mixed, { sessionId: "own" })).rejects.toMatchObject({ reason: "store_unavailable" });
    expect(told(await (await paymentGuard(store, { sessionId: "other" })).propose(pay(1)))).toBe("allow");
  });
});

describe("a store that goes back", () => {
  it("is not believed, also where it has a snapshot of that time", async () => {
    const store = await memory();
    let before: LoadedStream | null = null;
    const restored = lying(store, async (stream, after) => {
      if (before !== null && stream === "session/ticket-7") return before;
      return store.load(stream, after === undefined ? {} : { after });
    });
    const guard = await paymentGuard(restored);
    for (let done = 0; done < MANY; done++) await guard.beginStep();
    before = await store.load("session/ticket-7");
    await guard.propose(pay(60));
    // Somebody else writes, so that the guard has to read again.
    await (await paymentGuard(store)).beginStep();
    expect(told(await guard.propose(pay(1)))).toBe("store_unavailable");
    expect(guard.unsettled()).toMatchObject([{ callId: "call_1" }]);
  });
});

describe("a store that was restored and went on differently", () => {
  it.each([
    ["its records", 1],
    ["its snapshot", MANY],
  ])("is not believed: %s", async (_, count) => {
    const [first, restored] = [await memory(), await memory()];
    let current = first;
    const store = new Proxy(first, {
      get(_target, name) {
        const value: unknown = Reflect.get(current, name);
        return typeof value === "function" ? value.bind(current) : value;
      },
    });
    const guard = await paymentGuard(store, { settleTimeoutMs: 50 });
    const lost = callIdOf(await guard.propose(pay(60)));
    const other = await paymentGuard(restored);
    expect(callIdOf(await other.propose(pay(5)))).toBe(lost);
    for (let done = 0; done < count; done++) await other.beginStep();
    current = restored;
    await expect(guard.settle(lost, { kind: "result", output: {} })).rejects.toThrow("could not be recorded");
    expect(told(await guard.propose(pay(1)))).toBe("store_unavailable");
    expect((await paymentGuard(restored)).unsettled()).toMatchObject([{ callId: lost, fields: { amount: 5 } }]);
  });
});

describe("a store that says no time", () => {
  it.each([Number.NaN, "soon", undefined])("does not move a deadline: %s", async (wrong) => {
    const store = await memory();
    let now: unknown = 1_000;
    const confused = lying(store, async (stream, after) => {
      const loaded = await store.load(stream, after === undefined ? {} : { after });
      return { ...loaded, now: now as number };
    });
    const id = approvalIdOf(await (await paymentGuard(confused)).propose(pay(120)));
    now = 100_000;
    const late = await paymentGuard(confused);
    now = wrong;
    // Somebody else writes, so that the guard has to read again.
    await (await paymentGuard(store)).beginStep();
    expect(told(await late.approve(id, { by: "ann" }))).toBe("approval_expired");
  });
});

it("a store with a clock is asked for the time before a decision after its machine slept", async () => {
  const store = await memory();
  let now = 1_000_000;
  const timed = lying(store, async (stream, after) => {
    const loaded = await store.load(stream, after === undefined ? {} : { after });
    return { ...loaded, now };
  });
  const guard = await paymentGuard(timed);
  // An hour, during which the clock that nobody can set stood still.
  now += 3_600_000;
  const wake = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
  onTestFinished(() => wake.mockRestore());
  const verdict = await guard.propose(pay(120));
  // Its approver has the whole minute.
  expect(verdict).toMatchObject({ kind: "approval_required" });
  if (verdict.kind === "approval_required") expect(verdict.deadline).toBeGreaterThanOrEqual(now + 60_000);
});

it("a store that cannot watch does not keep an approver from being asked", async () => {
  const store = await memory();
  const blind: DurableStore = Object.assign(Object.create(store) as DurableStore, {
    watch: () => {
      throw new Error("not supported");
    },
  });
  const guard = await paymentGuard(blind, { approver: async () => ({ decision: "approve", by: "ann" }) });
  expect(told(await guard.propose(pay(120)))).toBe("allow");
});

describe("a store whose watch does not end as it should", () => {
  it.each<[string, unknown]>([
    ["nothing to end it with", undefined],
    ["an end that throws", () => expect.fail("no end")],
    ["an end that rejects", async () => expect.fail("no end")],
  ])("keeps no approved call from being sent: %s", async (_, end) => {
    const store = await memory();
    const watched = Object.assign(Object.create(store) as DurableStore, { watch: async () => end });
    const guard = await paymentGuard(watched);
    const asked = new Promise<string>((resolve) => {
      guard.on("approval_requested", ({ approvalId }) => resolve(approvalId));
    });
    const calling = guard.wrap(async () => "sent")("pay", pay(120).args);
    const id = await asked;
    const other = await paymentGuard(store);
    await other.approve(id, { by: "ann" });
    expect(await calling).toBe("sent");
  });
});
