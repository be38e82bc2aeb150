import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { verifyStore } from "../../../src/audit/verify-store.js";
import type { DurableStore, LoadedStream } from "../../../src/guard/durable-store.js";
import { createGuard } from "../../../src/guard/guard.js";
import { migrateSession } from "../../../src/sessions/migration/migrate-session.js";
import { memory, PAYMENTS, pay, paymentGuard, recordsOf, SESSION } from "../../support/durable-guard.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { told } from "../../support/guard-steps.js";
import { LossyStore } from "../../support/lossy-store.js";
import { eventually } from "../../support/store-writes.js";

/** A guard of the artifact that the session was moved to. */
function nextGuard(store: DurableStore) {
  return createGuard(NEXT, { env: {}, sessionId: SESSION, approver: "manual", store });
}

const NEXT = artifactOf(PAYMENTS.replace("lte: 150", "lte: 140"));

it("a call that runs while its session is moved is known to be executed, and stays unsettled under the new artifact", async () => {
  const store = await memory();
  const guard = await paymentGuard(store);
  const send = guard.wrap(async () => {
    expect(await migrateSession(store, SESSION, NEXT)).toEqual({ ok: true });
    return { receipt: "r-1" };
  });
  await expect(send("pay", pay(90).args)).rejects.toMatchObject({
    name: "ExecutedButNotRecorded",
    message: expect.stringContaining("settle it through a guard of the artifact that its session was moved to"),
    callId: "call_1",
    output: { receipt: "r-1" },
  });
  expect(await guard.propose(pay(1))).toMatchObject({
    reason: "artifact_changed",
    hint: "open the session with its own artifact, or move it with `migrateSession`",
  });
  const next = await nextGuard(store);
  expect(told(await next.propose(pay(51)))).toBe("aggregate_exceeded");
  expect(await next.settle("call_1", { kind: "result", output: { receipt: "r-1" } })).toEqual({ accepted: true });
});

describe("a kill through a guard whose session was moved", () => {
  it("ends the session under its new artifact too, before the next call there", async () => {
    const store = await memory();
    const guard = await paymentGuard(store);
    await migrateSession(store, SESSION, NEXT);
    const next = await nextGuard(store);
    await guard.kill("stop");
    expect(guard.state().killed).toBe(true);
    for (const each of [guard, next, await nextGuard(store)]) {
      expect(await each.propose(pay(1))).toMatchObject({ reason: "session_killed", found: "stop" });
    }
    const kills = (await recordsOf(store)).filter(({ event }) => event?.kind === "killed");
    expect(kills).toMatchObject([{ artifact: NEXT.hash, event: { why: "stop" } }]);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it("is recorded there later if the store is away, and once", async () => {
    const inner = await memory();
    const store = new LossyStore(inner);
    const guard = await paymentGuard(store, { storeTimeoutMs: 30 });
    const isAway = () => "request lost" as const;
    [store.appends, store.loads] = [isAway, isAway];
    await expect(guard.kill("stop")).rejects.toMatchObject({ reason: "store_unavailable" });
    await migrateSession(inner, SESSION, NEXT);
    [store.appends, store.loads] = [() => "pass", () => "pass"];
    const next = await nextGuard(inner);
    await eventually(async () => told(await next.propose(pay(1))) === "session_killed");
    expect((await recordsOf(inner)).filter(({ event }) => event?.kind === "killed")).toHaveLength(1);
  });

  it("is refused for good, with what to do, where the guard cannot read the new artifact", async () => {
    /** A store without that artifact, which counts what it is asked. */
    class Pruned extends LossyStore {
      asked = 0;

      override async load(stream: string, options?: { readonly after?: number }): Promise<LoadedStream> {
        this.asked += 1;
        const loaded = await super.load(stream, options);
        return stream === `artifact/${NEXT.hash}` ? { ...loaded, records: [] } : loaded;
      }
    }
    const inner = await memory();
    const store = new Pruned(inner);
    const guard = await paymentGuard(store);
    await migrateSession(inner, SESSION, NEXT);
    await expect(guard.kill("stop")).rejects.toMatchObject({
      name: "SessionRefused",
      verdict: {
        reason: "artifact_changed",
        hint: "the session was moved to another artifact and has ended in this guard only; end it with `contracts sessions kill`",
      },
    });
    const { asked } = store;
    await setTimeout(200);
    expect(store.asked).toBe(asked);
    expect(told(await guard.propose(pay(1)))).toBe("session_killed");
    expect(told(await (await nextGuard(inner)).propose(pay(1)))).toBe("allow");
  });
});
