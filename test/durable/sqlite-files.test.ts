import { chmodSync, chownSync, copyFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { loadDriver } from "../../src/stores/sqlite/driver.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { canMount, MOUNT_MISSING, smallDisk } from "../support/small-disk.js";
import { storeFolder } from "../support/store-folder.js";
import { expectConserved } from "./conservation.js";
import { artifactFile, paymentsArtifact } from "./payments.js";
import { recordsOf } from "./session-log.js";
import { BOUNDS, SESSION, Teller } from "./teller.js";
import { startWorker } from "./worker.js";

async function opened(path: string, timeoutMs = 5_000): Promise<DurableStore> {
  const store = await openStore(`sqlite:${path}`, { timeoutMs });
  onTestFinished(() => store.close());
  return store;
}

const hasDisk = canMount();

const newPath = () => join(storeFolder(), "guard.db");

describe("a guard whose file is away, locked, full or read-only", () => {
  it("blocks while the file is gone, and goes on by itself when it is back", async () => {
    const path = newPath();
    const teller = await Teller.open(await opened(path));
    expect(await teller.pay()).toBe("paid");
    const parts = ["", "-wal", "-shm"];
    for (const part of parts) renameSync(path + part, `${path}-aside${part}`);
    expect(await teller.pay()).toBe("store_unavailable");
    for (const part of parts) renameSync(`${path}-aside${part}`, path + part);
    expect(await teller.pay()).toBe("paid");
    await expectConserved(teller.books());
  });

  it("blocks within its time while others keep the file locked, and goes on by itself", async () => {
    const path = newPath();
    const teller = await Teller.open(await opened(path, 1_000));
    const { DatabaseSync } = await loadDriver();
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    const start = performance.now();
    expect(await teller.pay()).toBe("store_unavailable");
    expect(performance.now() - start).toBeLessThan(20_000);
    other.exec("rollback");
    other.close();
    expect(await teller.pay()).toBe("paid");
    await expectConserved(teller.books());
  });

  it.skipIf(!hasDisk)(
    `blocks while the disk is full, and records what is under way when there is room${hasDisk ? "" : MOUNT_MISSING}`,
    {
      timeout: 60_000,
    },
    async () => {
      const folder = storeFolder();
      const artifact = artifactFile(paymentsArtifact(BOUNDS));
      const work = { url: `sqlite:${folder}/guard.db`, storeOptions: { timeoutMs: 2_000 }, folder, artifact };
      const worker = startWorker("disk-worker", { ...work, session: SESSION }, { command: smallDisk(folder, 1) });
      expect(await worker.ended).toEqual({ code: 0, signal: null, stderr: "" });
      expect(worker.lines.slice(0, -1)).toEqual([
        ...["effect before", "paid"],
        ...["effect under-way", "store_unavailable", "paid"],
        ...["effect after", "paid"],
      ]);
      expect(JSON.parse(worker.lines.at(-1) ?? "")).toMatchObject({ toolCalls: 3, unsettled: [] });
    },
  );

  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

  it("does not start on a file that is read-only, and starts once it can be written", async () => {
    const folder = storeFolder();
    const path = join(folder, "guard.db");
    const teller = await Teller.open(await openStore(`sqlite:${path}`));
    expect(await teller.pay()).toBe("paid");
    await teller.store.close();
    const setWritable = (isWritable: boolean) => {
      chmodSync(path, isWritable ? 0o644 : 0o444);
      chmodSync(folder, isWritable ? 0o755 : 0o555);
      for (const each of [path, folder]) chownSync(each, nobody.uid ?? -1, nobody.gid ?? -1);
    };
    onTestFinished(() => setWritable(true));
    const attempt = async () => {
      const work = { url: `sqlite:${path}`, sessionId: SESSION };
      const worker = startWorker("open-worker", work, nobody);
      expect(await worker.ended).toMatchObject({ code: 0, stderr: "" });
      return worker.lines;
    };
    setWritable(false);
    const [code = "", ...more] = await attempt();
    expect(["store_read_only", "store_unreachable"]).toContain(code);
    expect(more).toEqual([]);
    setWritable(true);
    expect(await attempt()).toEqual(["opened 3"]);
  });
});

/** A file with a session of twenty payments: complete, or with the last of them still in its write-ahead log. */
async function withPayments(path: string): Promise<Teller> {
  const teller = await Teller.open(await opened(path));
  for (let index = 0; index < 20; index += 1) await teller.pay(1 + index);
  return teller;
}

const RESERVED = '"kind":"reserved"';

describe("a guard on a file that was damaged", () => {
  it("goes back to a whole decision where the end of the write-ahead log was cut off", async () => {
    const path = newPath();
    const teller = await withPayments(path);
    const all = await recordsOf(teller.store, SESSION);
    const size = readFileSync(`${path}-wal`).length;
    const { below } = randomFrom(seedOf("TRUNCATED_SEED", 5));
    const found = new Set<number>();
    for (let round = 0; round < 12; round += 1) {
      const copy = newPath();
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, `${copy}-wal`);
      truncateSync(`${copy}-wal`, size - 1 - below(size / 2));
      const store = await opened(copy);
      const left = await recordsOf(store, SESSION);
      expect(left.map(({ hash }) => hash)).toEqual(all.slice(0, left.length).map(({ hash }) => hash));
      found.add(left.length);
      // One of them may be unsettled now: settled as the teller knows, it goes on.
      const again = await Teller.open(store);
      const counted = again.guard.state().toolCalls;
      expect(left).toHaveLength(1 + 2 * counted - again.guard.unsettled().length);
      expect(await again.pay()).toBe("paid");
    }
    expect(found.size).toBeGreaterThan(3);
  });

  it("refuses it where a byte was flipped, or finds what was written", { timeout: 120_000 }, async () => {
    const path = newPath();
    const teller = await withPayments(path);
    const [records, state] = [await recordsOf(teller.store, SESSION), teller.guard.state()];
    await teller.store.close();
    const bytes = readFileSync(path);
    const { below } = randomFrom(seedOf("FLIPPED_SEED", 5));
    const flip = async (offset: number) => {
      const copy = newPath();
      const flipped = Buffer.from(bytes);
      flipped[offset] = (flipped[offset] ?? 0) ^ (1 << below(8));
      writeFileSync(copy, flipped);
      return lookedAt(copy, { records: records.length, state });
    };
    // In each of the reservations; a few more are left over where SQLite moved them.
    const inRecords: string[] = [];
    for (let at = bytes.indexOf(RESERVED); at !== -1; at = bytes.indexOf(RESERVED, at + 1)) {
      inRecords.push(await flip(at + 8));
    }
    expect(inRecords.filter((end) => end === "refused")).toHaveLength(20);
    const anywhere: string[] = [];
    while (anywhere.length < 16) anywhere.push(await flip(below(bytes.length)));
    expect(new Set(anywhere)).toEqual(new Set(["refused", "as it was"]));
  });

  async function lookedAt(path: string, whole: { readonly records: number; readonly state: object }): Promise<string> {
    let store: DurableStore;
    try {
      store = await openStore(`sqlite:${path}`);
    } catch {
      return "refused";
    }
    try {
      const [records, { guard }] = [await recordsOf(store, SESSION), await Teller.open(store)];
      expect({ records: records.length, state: guard.state() }).toEqual(whole);
      return "as it was";
    } catch (cause) {
      if (cause instanceof Error && ["StoreError", "StoreUnavailable"].includes(cause.name)) return "refused";
      throw cause;
    } finally {
      await store.close();
    }
  }
});
