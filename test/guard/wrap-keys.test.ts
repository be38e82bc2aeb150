import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { UnsettledCall } from "../../src/guard/public.js";
import type { CallOptions, ProxyCall } from "../../src/guard/wrap/call-options.js";
import { memory, pay, paymentGuard } from "../support/durable-guard.js";
import { rejectionOf, violationOf } from "../support/guard-calls.js";
import { TestClock } from "../support/guard-clock.js";
import { LossyStore } from "../support/lossy-store.js";
import { eventually } from "../support/store-writes.js";

/** A tool that counts what it did, and answers when it is told to. */
function heldTool() {
  const sent: CallOptions[] = [];
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const call: ProxyCall = async (_tool, _args, options = {}) => {
    sent.push(options);
    await answered;
    return { paid: true };
  };
  return { sent, call, answer };
}

const KEY = { callKey: "turn-7/call-1" };
const { args } = pay(10);

/** Two guards of one session, as two processes have them. */
async function guardsOf(store: DurableStore) {
  return [await paymentGuard(store), await paymentGuard(store)] as const;
}

describe("a wrapped call with a key", () => {
  it("is listed and resolved under its key, which the tool gets too", async () => {
    const store = await memory();
    const clock = new TestClock();
    const tool = heldTool();
    const guard = await paymentGuard(store, { clock });
    const paying = guard.wrap(tool.call)("pay", args, { ...KEY, actorId: "refunds" });
    await eventually(() => tool.sent.length === 1);
    expect(tool.sent).toMatchObject([{ ...KEY, actorId: "refunds" }]);
    expect(guard.unsettled()).toMatchObject([{ callId: "call_1", key: KEY.callKey }]);
    clock.advance(3_600_000);
    const asked: UnsettledCall[] = [];
    const resolver = async (call: UnsettledCall) => {
      asked.push(call);
      return "unknown" as const;
    };
    await paymentGuard(store, { clock, resolver });
    expect(asked).toMatchObject([{ tool: "pay", key: KEY.callKey }]);
    tool.answer();
    expect(await paying).toEqual({ paid: true });
  });

  it("is not sent any more once a resolver may be asked about it", async () => {
    const clock = new TestClock();
    const store = new LossyStore(await memory());
    const tool = heldTool();
    const guard = await paymentGuard(store, { clock });
    // The store takes longer to record the reservation than the call may take.
    store.appends = () => {
      clock.advance(3_600_000);
      return "pass";
    };
    await rejectionOf(guard.wrap(tool.call)("pay", args, KEY));
    expect(tool.sent).toEqual([]);
    expect(guard.unsettled()).toEqual([]);
  });

  it("is sent once, however often and through whichever guard it is made", async () => {
    const tool = heldTool();
    const [one, other] = await guardsOf(await memory());
    const calls = [one, other, one, other].map((guard) => guard.wrap(tool.call)("pay", args, KEY));
    const ends = Promise.allSettled(calls);
    const refused = await Promise.all(calls.slice(1).map(violationOf));
    for (const { verdict } of refused) {
      expect(verdict).toMatchObject({
        reason: "call_key_used",
        required: "a key that no call has",
        found: "the key of call_1, which is unsettled",
      });
    }
    tool.answer();
    expect((await ends).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    for (const guard of [one, other]) {
      const { verdict } = await violationOf(guard.wrap(tool.call)("pay", args, KEY));
      expect(verdict).toMatchObject({ reason: "call_key_used", found: "the key of call_1" });
    }
    const { verdict } = await violationOf(one.wrap(tool.call)("pay", { ...args, amount: 11 }, KEY));
    expect(verdict.reason).toBe("call_key_mismatch");
    expect(tool.sent).toHaveLength(1);
    expect(one.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 10 }, unsettled: [] });
  });

  it("that waits for an approval is not waited for twice, and sent once", async () => {
    const tool = heldTool();
    const [one, other] = await guardsOf(await memory());
    const { args: large } = pay(120);
    const requests: string[] = [];
    one.on("approval_requested", ({ approvalId }) => requests.push(approvalId));
    const paying = one.wrap(tool.call)("pay", large, KEY);
    await eventually(() => one.visibleTools().visible.length === 0);
    for (const guard of [one, other]) {
      const { verdict } = await violationOf(guard.wrap(tool.call)("pay", large, KEY));
      expect(verdict).toMatchObject({ reason: "call_key_used", found: "the key of approval_1@ticket-7" });
    }
    expect(requests).toEqual(["approval_1@ticket-7"]);
    await one.approve("approval_1@ticket-7", { by: "ann" });
    tool.answer();
    expect(await paying).toEqual({ paid: true });
    expect(tool.sent).toHaveLength(1);
  });

  it("keeps its reservation or request when a repeated one is given up while the store is slow", async () => {
    for (const amount of [10, 120]) {
      const tool = heldTool();
      const store = new LossyStore(await memory());
      const guard = await paymentGuard(store, { storeTimeoutMs: 400 });
      const paying = guard.wrap(tool.call)("pay", pay(amount).args, KEY);
      await eventually(() => guard.visibleTools().visible.length === 0 || tool.sent.length === 1);
      // Recorded, but the caller has given up before it hears of that.
      let isSlow = true;
      store.appends = () => (isSlow ? "answer lost" : "pass");
      const giving = new AbortController();
      const repeated = guard.wrap(tool.call)("pay", pay(amount).args, { ...KEY, signal: giving.signal });
      const arrived = store.arrived;
      await eventually(() => store.arrived > arrived);
      giving.abort(new Error("given up"));
      expect(await rejectionOf(repeated)).toMatchObject({ message: "given up" });
      isSlow = false;
      // A decision that comes after whatever the repeated one leads to.
      await guard.addLabel("later");
      if (amount === 120) await guard.approve("approval_1@ticket-7", { by: "ann" });
      tool.answer();
      expect(await paying).toEqual({ paid: true });
      expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: amount }, unsettled: [] });
    }
  });

  it.each([null, 7, "", "k".repeat(257)])(
    "whose key is %j is a TypeError, and nothing is reserved",
    async (callKey) => {
      const tool = heldTool();
      const guard = await paymentGuard(await memory());
      const call = guard.wrap(tool.call)("pay", args, Object({ callKey }));
      expect(await rejectionOf(call)).toEqual(new TypeError("a `callKey` must be a string of 1 to 256 characters"));
      expect({ calls: guard.state().toolCalls, sent: tool.sent }).toEqual({ calls: 0, sent: [] });
    },
  );
});
