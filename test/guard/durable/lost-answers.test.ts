import { describe, expect, it } from "vitest";
import type { AppendResult, StreamWrite } from "../../../src/guard/durable-store.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import { ExecutedButNotRecorded } from "../../../src/guard/session/store-errors.js";
import { callIdOf, memory, pay, paymentGuard, recordsOf, SESSION } from "../../support/durable-guard.js";
import { violationOf } from "../../support/guard-calls.js";
import { TestClock } from "../../support/guard-clock.js";
import { told } from "../../support/guard-steps.js";
import { LossyStore, type RequestFate } from "../../support/lossy-store.js";
import { eventually } from "../../support/store-writes.js";

/** Loses so many appends in this way, then none. */
function times(count: number, fate: RequestFate): () => RequestFate {
  let left = count;
  return () => (left-- > 0 ? fate : "pass");
}

async function lossy(options: GuardOptions = {}) {
  const store = new LossyStore(await memory());
  const guard = await paymentGuard(store, { storeTimeoutMs: 300, ...options });
  return { store, guard };
}

describe("an append whose answer is lost", () => {
  it.each(["answer lost", "request lost"] as const)("is sent again while there is time: %s", async (fate) => {
    const { store, guard } = await lossy();
    store.appends = times(3, fate);
    const callId = callIdOf(await guard.propose(pay(50)));
    expect(await guard.settle(callId, { kind: "result", output: {} })).toEqual({ accepted: true });
    expect((await recordsOf(store)).map(({ event }) => event?.kind)).toEqual([undefined, "reserved", "settled"]);
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 50 }, unsettled: [] });
  });

  it("leaves a reservation that its caller never learnt of, and that is listed so", async () => {
    const { store, guard } = await lossy();
    store.appends = () => "answer lost";
    expect(told(await guard.propose(pay(100 - 1)))).toBe("store_unavailable");
    store.appends = () => "pass";
    // It counts.
    expect(told(await guard.propose(pay(60)))).toBe("aggregate_exceeded");
    expect(guard.unsettled()).toMatchObject([{ callId: "call_1", status: "running", origin: "unanswered" }]);
    const other = await paymentGuard(store);
    expect(other.unsettled()).toMatchObject([{ callId: "call_1", origin: "unanswered", fields: { amount: 99 } }]);
    expect(await guard.settle("call_1", { kind: "did_not_happen" })).toEqual({ accepted: true });
    expect(told(await guard.propose(pay(60)))).toBe("allow");
  });

  it("leaves nothing where the request never arrived", async () => {
    const { store, guard } = await lossy();
    store.appends = () => "request lost";
    expect(told(await guard.propose(pay(99)))).toBe("store_unavailable");
    store.appends = () => "pass";
    expect(callIdOf(await guard.propose(pay(99)))).toBe("call_1");
    expect(guard.unsettled()).toMatchObject([{ callId: "call_1", origin: "proposed" }]);
  });

  it("withdraws a request for an approval that nobody waits for", async () => {
    const { store, guard } = await lossy();
    store.appends = () => "answer lost";
    expect(told(await guard.propose(pay(120)))).toBe("store_unavailable");
    store.appends = () => "pass";
    expect(told(await guard.propose(pay(10)))).toBe("allow");
    const ends = (await recordsOf(store)).flatMap(({ event }) => (event?.kind === "approval_ended" ? [event.end] : []));
    expect(ends).toEqual(["withdrawn"]);
  });

  it("releases what was reserved for a wrapped call after its approval, which is not sent", async () => {
    const shared = await memory();
    const store = new LossyStore(shared);
    const guard = await paymentGuard(store, { storeTimeoutMs: 50 });
    const asked = new Promise<string>((resolve) => {
      guard.on("approval_requested", ({ approvalId }) => resolve(approvalId));
    });
    let sent = 0;
    const call = violationOf(
      guard.wrap(async () => {
        sent += 1;
      })("pay", pay(120).args),
    );
    const approvalId = await asked;
    let lost = 0;
    store.appends = () => {
      store.loads = () => {
        lost += 1;
        return "request lost";
      };
      return "answer lost";
    };
    await (await paymentGuard(shared)).approve(approvalId, { by: "bob" });
    // By then the guard has given up its append, and reads in vain.
    await eventually(() => lost > 0);
    store.appends = () => "pass";
    store.loads = () => "pass";
    expect((await call).verdict).toMatchObject({
      reason: "approval_used",
      found: "the store did not answer: the call is not sent",
    });
    expect(sent).toBe(0);
    expect(guard.state()).toMatchObject({ toolCalls: 0, aggregates: { paid: 0 }, unsettled: [] });
    expect((await recordsOf(shared)).map(({ event }) => event?.kind)).toEqual(
      expect.arrayContaining(["reserved", "unanswered", "settled"]),
    );
    expect(told(await guard.propose(pay(90)))).toBe("allow");
  });

  it("withdraws such a request also if somebody granted it before its guard knew of it", async () => {
    const { store, guard } = await lossy();
    const other = await paymentGuard(store);
    store.appends = () => "answer lost";
    expect(told(await guard.propose(pay(120)))).toBe("store_unavailable");
    store.appends = () => "pass";
    const id = `approval_1@${SESSION}`;
    expect(await other.approve(id, { by: "ann" })).toMatchObject({ kind: "recorded" });
    expect(told(await guard.propose(pay(10)))).toBe("allow");
    expect(told(await other.resume(id))).toBe("approval_withdrawn");
  });

  it("withdraws such a request once, also if the append has further records", async () => {
    const clock = new TestClock();
    const { store, guard } = await lossy({ clock });
    await guard.propose(pay(120));
    clock.advance(61_000);
    store.appends = () => "answer lost";
    // The end of the first request is recorded with the second one.
    expect(told(await guard.propose(pay(130)))).toBe("store_unavailable");
    store.appends = () => "pass";
    expect(told(await guard.propose(pay(10)))).toBe("allow");
    const ends = (await recordsOf(store)).flatMap(({ event }) => (event?.kind === "approval_ended" ? [event.end] : []));
    expect(ends).toEqual(["expired", "withdrawn"]);
  });

  it("is found where it arrived late, after another one was sent, and a snapshot stands for it", async () => {
    const { store, guard } = await lossy();
    const other = await paymentGuard(store);
    const held: (() => Promise<unknown>)[] = [];
    const append = store.append.bind(store);
    store.append = async (id, writes) => {
      held.push(() => append(id, writes));
      throw new Error("connection reset");
    };
    expect(told(await guard.propose(pay(99)))).toBe("store_unavailable");
    const [late] = held;
    expect(told(await guard.propose(pay(98)))).toBe("store_unavailable");
    store.append = append;
    await late?.();
    for (let steps = 0; steps < 300; steps++) await other.beginStep();
    expect(told(await guard.propose(pay(60)))).toBe("aggregate_exceeded");
    expect(guard.unsettled()).toMatchObject([{ callId: "call_1", origin: "unanswered", fields: { amount: 99 } }]);
  });

  it("of a settlement is found in the store, and the settlement is not recorded twice", async () => {
    const { store, guard } = await lossy();
    const callId = callIdOf(await guard.propose(pay(50)));
    store.appends = times(1, "answer lost");
    store.loads = times(2, "request lost");
    expect(await guard.settle(callId, { kind: "result", output: {} })).toEqual({ accepted: true });
    expect((await recordsOf(store)).filter(({ event }) => event?.kind === "settled")).toHaveLength(1);
  });
});

/** Tells the first append that it is in conflict, as a server does that cannot serialize, while its request is still on its way. */
class LateStore extends LossyStore {
  private late: (() => Promise<AppendResult>) | null = null;
  isLate = false;

  override async append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    if (this.isLate) {
      this.isLate = false;
      this.late = () => super.append(appendId, writes);
      return { kind: "conflict", now: null };
    }
    await this.late?.();
    this.late = null;
    return super.append(appendId, writes);
  }
}

describe("an append that is recorded after its conflict was reported", () => {
  it("is what its caller is told of: nothing is reserved twice", async () => {
    const store = new LateStore(await memory());
    const guard = await paymentGuard(store);
    store.isLate = true;
    expect(callIdOf(await guard.propose(pay(50)))).toBe("call_1");
    expect(guard.unsettled()).toMatchObject([{ callId: "call_1", origin: "proposed" }]);
    expect((await recordsOf(store)).filter(({ event }) => event?.kind === "reserved")).toHaveLength(1);
  });

  it("is listed as never answered if its caller was told that the store is away", async () => {
    const store = new LateStore(await memory());
    const guard = await paymentGuard(store, { storeTimeoutMs: 50 });
    store.isLate = true;
    store.loads = () => "request lost";
    expect(told(await guard.propose(pay(50)))).toBe("store_unavailable");
    store.loads = () => "pass";
    // The late request arrives before this one.
    expect(callIdOf(await guard.propose(pay(60)))).toBe("call_2");
    expect(guard.unsettled()).toMatchObject([
      { callId: "call_1", origin: "unanswered" },
      { callId: "call_2", origin: "proposed" },
    ]);
  });

  it("is not settled twice", async () => {
    const store = new LateStore(await memory());
    const guard = await paymentGuard(store);
    const callId = callIdOf(await guard.propose(pay(50)));
    store.isLate = true;
    expect(await guard.settle(callId, { kind: "result", output: {} })).toEqual({ accepted: true });
  });
});

describe("a store that is away", () => {
  it("blocks, and the guard goes on by itself when it is back", async () => {
    const { store, guard } = await lossy();
    store.appends = () => "request lost";
    store.loads = () => "request lost";
    expect(told(await guard.propose(pay(50)))).toBe("store_unavailable");
    await expect(guard.addLabel("hot")).rejects.toMatchObject({ reason: "store_unavailable" });
    await expect(guard.recordCost(1)).rejects.toMatchObject({ reason: "store_unavailable" });
    store.appends = () => "pass";
    store.loads = () => "pass";
    expect(told(await guard.propose(pay(50)))).toBe("allow");
  });

  it("learns of a kill later; the session is over here at once", async () => {
    const { store, guard } = await lossy();
    const other = await paymentGuard(store);
    store.appends = () => "request lost";
    await expect(guard.kill("stop")).rejects.toMatchObject({ reason: "store_unavailable" });
    expect(told(await guard.propose(pay(1)))).toBe("session_killed");
    store.appends = () => "pass";
    await expect.poll(async () => told(await other.propose(pay(1)))).toBe("session_killed");
  });

  it("keeps the reason of the kill that was recorded first, in every guard", async () => {
    const shared = await memory();
    const store = new LossyStore(shared);
    const guard = await paymentGuard(store, { storeTimeoutMs: 50 });
    const other = await paymentGuard(shared);
    store.appends = () => "request lost";
    await expect(guard.kill("here")).rejects.toMatchObject({ reason: "store_unavailable" });
    await other.kill("elsewhere");
    store.appends = () => "pass";
    await expect.poll(async () => (await recordsOf(shared)).at(-1)?.event).toMatchObject({ why: "here" });
    const refusals = [await guard.propose(pay(1)), await other.propose(pay(1))];
    expect(refusals).toMatchObject([{ found: "elsewhere" }, { found: "elsewhere" }]);
    const kills = (await recordsOf(shared)).flatMap(({ event }) => (event?.kind === "killed" ? [event.why] : []));
    expect(kills).toEqual(["elsewhere", "here"]);
  });

  it("that the caller closed blocks", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    await store.close();
    expect(told(await guard.propose(pay(1)))).toBe("store_unavailable");
  });

  it("that the caller closed is not waited for: by a call that waits for an approval, nor by a result", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    const callId = callIdOf(await guard.propose(pay(1)));
    // Its request could be answered for a minute.
    const calling = violationOf(guard.wrap(async () => ({}))("pay", pay(120).args));
    await expect.poll(async () => (await recordsOf(store)).at(-1)?.event).toMatchObject({ kind: "approval_requested" });
    await store.close();
    expect((await calling).verdict).toMatchObject({ reason: "store_unavailable" });
    // It may take 30 s to record a result.
    await expect(guard.settle(callId, { kind: "result", output: {} })).rejects.toThrow(ExecutedButNotRecorded);
  });
});
