import { describe, expect, it } from "vitest";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import { openApprovals } from "../../src/sessions/approvals.js";
import { migrateSession } from "../../src/sessions/migration/migrate-session.js";
import { operate } from "../../src/sessions/operated-session.js";
import { acknowledgeResult, killSession, labelSession, settleCall } from "../../src/sessions/operations.js";
import { StoreAccess } from "../../src/sessions/store-access.js";
import {
  approvalIdOf,
  callIdOf,
  memory,
  PAYMENTS,
  pay,
  paymentGuard,
  recordsOf,
  SESSION,
} from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { inStream, relinked, rewritten } from "../support/rewritten-store.js";

const BOB = { by: "bob", why: "asked the bank" };

/** Everything that operators do to a session, between what its guard does. */
async function operated(): Promise<DurableStore> {
  const store = await memory();
  const access = new StoreAccess(store, {});
  const guard = await paymentGuard(store, { requester: "ann" });
  const approvals = openApprovals(store);
  const denied = approvalIdOf(await guard.propose(pay(130)));
  await approvals.deny(denied, BOB);
  await guard.resume(denied);
  const asked = approvalIdOf(await guard.propose(pay(120)));
  await approvals.approve(asked, { by: "ann", why: "my own" });
  await approvals.approve(asked, BOB);
  await approvals.approve(asked, BOB);
  const paid = callIdOf(await guard.resume(asked));
  await operate(access, SESSION, (session) => settleCall(session, paid, { as: "did_not_happen" }, BOB));
  await operate(access, SESSION, (session) => settleCall(session, paid, { as: "happened" }, BOB));
  await guard.settle(paid, { kind: "result", output: null });
  await guard.propose(pay(1));
  await operate(access, SESSION, (session) => acknowledgeResult(session, paid, { ...BOB, happened: true }));
  await operate(access, SESSION, (session) => acknowledgeResult(session, paid, { ...BOB, happened: true }));
  await operate(access, SESSION, (session) => labelSession(session, "hot", BOB));
  await guard.propose(pay(1));
  await operate(access, SESSION, (session) => killSession(session, BOB));
  await guard.propose(pay(1));
  return store;
}

function replayOf(store: DurableStore, artifact = artifactOf(PAYMENTS)) {
  return replayStore(store, { artifact, principals: new Map(), env: {}, session: null });
}

describe("what operators did", () => {
  it("is verified, and decided again with what guards did", async () => {
    const store = await operated();
    expect(await verifyStore(store)).toMatchObject({ ok: true, problems: [] });
    const { result } = await replayOf(store);
    expect(result).toMatchObject({ ok: true, problems: [], skipped: {} });
    const verdicts = (await recordsOf(store)).filter(
      ({ note }) => note?.verdict !== undefined || note?.settlement !== undefined,
    );
    expect(result.replayed).toBe(verdicts.length);
    expect(verdicts.filter(({ note }) => note?.operator !== undefined)).toHaveLength(6);
  });

  it("is found where an answer was altered", async () => {
    const store = await operated();
    const at = (await recordsOf(store)).findIndex(({ note }) =>
      JSON.stringify(note ?? {}).includes("approver_is_requester"),
    );
    const forged = await rewritten(
      store,
      inStream(`session/${SESSION}`, (content) =>
        relinked({
          ...content,
          records: content.records.map((record, index) =>
            index === at
              ? { ...record, data: record.data.replace("approver_is_requester", "approver_unnamed") }
              : record,
          ),
        }),
      ),
    );
    const { problems } = (await replayOf(forged)).result;
    expect(problems).toMatchObject([{ session: SESSION, index: at + 1 }]);
  });
});

describe("a session that was moved to another artifact", () => {
  const LATER = artifactOf(PAYMENTS.replace("lte: 150", "lte: 250"));

  /** Three calls before, and three after. */
  async function moved(): Promise<DurableStore> {
    const store = await memory();
    const guard = await paymentGuard(store);
    for (const amount of [10, 20, 200]) await guard.propose(pay(amount));
    expect(await migrateSession(store, SESSION, LATER)).toEqual({ ok: true });
    const later = await createGuard(LATER, { env: {}, sessionId: SESSION, store });
    for (const amount of [90, 90, 99]) await later.propose(pay(amount));
    return store;
  }

  it("is verified", async () => {
    expect(await verifyStore(await moved())).toMatchObject({ ok: true, problems: [] });
  });

  it("is decided again from there on, and the rest is counted", async () => {
    const store = await moved();
    const after = (await replayOf(store, LATER)).result;
    // Opened, and three calls before; the record of the migration itself decides nothing.
    expect(after).toMatchObject({ ok: true, replayed: 3, skipped: { artifact: 4, migration: 1 } });
    const before = (await replayOf(store)).result;
    expect(before).toMatchObject({ ok: true, replayed: 3, skipped: { artifact: 4 } });
  });
});
