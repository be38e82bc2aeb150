import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "@photostructure/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { verifyStore } from "../../src/audit/verify-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { callIdOf, pay, paymentGuard, recordsOf, SESSION } from "../support/durable-guard.js";
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
