import { generateKeyPairSync } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "@photostructure/sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { SessionEnd } from "../../src/audit/chain.js";
import { checkpointLines } from "../../src/audit/checkpoint.js";
import { CheckpointCheck } from "../../src/audit/checkpoint-check.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { approvalIdOf, callIdOf, pay, paymentGuard, recordsOf, SESSION } from "../support/durable-guard.js";
import { told } from "../support/guard-steps.js";
import { closing } from "../support/operated-stores.js";
import { storeFolder } from "../support/store-folder.js";

const STREAM = `session/${SESSION}`;

async function revisionOf(store: DurableStore): Promise<number> {
  return (await store.load(STREAM)).revision;
}

/** A guard in a file that is in use, with a call that is not settled, and a function that makes calls until it is told to end. */
async function inUse() {
  const folder = storeFolder();
  const path = join(folder, "guard.db");
  const store = await closing(`sqlite:${path}`);
  const guard = await paymentGuard(store);
  callIdOf(await guard.propose(pay(40)));
  const look = async () => {
    const callId = callIdOf(await guard.propose({ tool: "look", args: {} }));
    await guard.settle(callId, { kind: "result", output: null });
  };
  return { folder, path, store, look };
}

// `.backup` of the sqlite3 command is this function of SQLite.
it("a backup of a SQLite store in use is whole, and has all that was answered before", async () => {
  const { folder, path, store, look } = await inUse();
  for (let count = 0; count < 20; count += 1) await look();
  const before = await revisionOf(store);
  const source = new DatabaseSync(path);
  onTestFinished(() => source.close());
  let isDone = false;
  const working = (async () => {
    while (!isDone) await look();
  })();
  // A few pages at a time, so that appends come in between.
  await backup(source, join(folder, "copy.db"), { rate: 2 });
  isDone = true;
  await working;

  const copy = await closing(`sqlite:${join(folder, "copy.db")}`);
  expect(await verifyStore(copy)).toMatchObject({ ok: true, sessions: 1 });
  const kept = await recordsOf(copy);
  expect(kept.length).toBeGreaterThanOrEqual(before);
  expect(await recordsOf(store)).toEqual(expect.arrayContaining([...kept]));
  const restored = await paymentGuard(copy);
  // The copy may have a look, too, that was just being made.
  const unsettled = restored.unsettled().filter(({ tool }) => tool !== "look");
  expect(unsettled).toMatchObject([{ callId: "call_1", tool: "pay" }]);
  // The unsettled call still counts.
  expect(told(await restored.propose(pay(99)))).toBe("allow");
  expect(told(await restored.propose(pay(12)))).toBe("aggregate_exceeded");
});

it("a copy of the file alone lacks what is in the write-ahead log", async () => {
  const { folder, path, store } = await inUse();
  copyFileSync(path, join(folder, "copy.db"));
  const copy = await closing(`sqlite:${join(folder, "copy.db")}`);
  expect(await revisionOf(copy)).toBeLessThan(await revisionOf(store));
});

it("an older backup is whole, does not know what happened since, and is caught by checkpoints that were signed since", async () => {
  const { folder, path, store, look } = await inUse();
  await look();
  const asking = await paymentGuard(store, { sessionId: "asked" });
  const source = new DatabaseSync(path);
  await backup(source, join(folder, "older.db"));
  source.close();

  const guard = await paymentGuard(store);
  const since = { ...pay(100), callKey: "since" };
  await guard.settle("call_1", { kind: "did_not_happen" });
  const approvalId = approvalIdOf(await guard.propose(since));
  await guard.approve(approvalId, { by: "ann" });
  await guard.settle("call_3", { kind: "result", output: {} });
  await asking.kill("enough");
  await paymentGuard(store, { sessionId: "began since" });
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const ends: SessionEnd[] = [];
  await verifyStore(store, { onEnd: (end) => ends.push(end) });
  const checkpoints = [...checkpointLines(ends, privateKey, 0)];
  const checked = (restored: DurableStore) =>
    verifyStore(restored, { checkpoints: new CheckpointCheck(checkpoints, publicKey) });
  expect(await checked(store)).toMatchObject({ ok: true, problems: [] });

  const older = await closing(`sqlite:${join(folder, "older.db")}`);
  expect(await verifyStore(older)).toMatchObject({ ok: true });
  const { ok, problems } = await checked(older);
  expect({ ok, sessions: [...new Set(problems.map(({ session }) => session))].sort() }).toEqual({
    ok: false,
    sessions: ["asked", "began since", SESSION],
  });

  const restored = await paymentGuard(older);
  expect(restored.unsettled()).toMatchObject([{ callId: "call_1" }]);
  await restored.settle("call_1", { kind: "did_not_happen" });
  // What was paid since is not counted, its key is free, and so is the id of its approval.
  expect(approvalIdOf(await restored.propose(since))).toBe(approvalId);
  expect((await paymentGuard(older, { sessionId: "asked" })).state().killed).toBe(false);
  // Also once it has gone on beyond what was signed.
  await restored.deny(approvalId, { by: "ann" });
  for (let count = 0; count < 20; count += 1) await restored.addLabel(`label-${count}`);
  expect((await checked(older)).problems.map(({ session }) => session)).toContain(SESSION);
});
