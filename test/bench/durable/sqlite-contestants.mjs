import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { headChecksum, recordChecksum, snapshotChecksum } from "../../../dist/stores/checksum.js";
import { openStore } from "../../../dist/stores/open-store.js";
import { allowedCalls } from "../scenario/traffic.mjs";
import { openBare } from "./bare-sqlite.mjs";
import { SameAppends } from "./same-appends.mjs";
import { CallCycle, guardsAtWork } from "./session.mjs";
import { timed } from "./turns.mjs";

/** Gives a folder that is removed afterwards. */
export async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Guards of several sessions of one store, at work at the same time: milliseconds for each call that one of them makes. */
export async function guardsOnSqlite(path, artifact, { sessions, count }) {
  return guardsAtWork(await openStore(`sqlite:${path}`), artifact, { sessions, count });
}

/** The rows of an append, with their checksums. */
function rowsOf({ appendId, writes: [{ stream, expectedRevision, records, head, snapshot }] }) {
  const revision = expectedRevision + records.length;
  return {
    ...{ stream, expectedRevision },
    head: [stream, revision, head, Date.now(), headChecksum(stream, revision, head)],
    records: records.map((data, index) => {
      const record = { revision: expectedRevision + index + 1, appendId, data };
      return [stream, record.revision, appendId, data, recordChecksum(stream, record)];
    }),
    snapshot:
      snapshot === undefined ? null : [stream, revision, snapshot, snapshotChecksum(stream, revision, snapshot)],
  };
}

/** Sends each append to the thread, and waits for its answer. */
async function inThread(path) {
  const worker = new Worker(new URL("bare-sqlite.mjs", import.meta.url), { workerData: { path } });
  await once(worker, "message");
  return {
    write: async (rows) => {
      const answered = once(worker, "message");
      worker.postMessage(rows);
      await answered;
    },
    close: () => worker.terminate(),
  };
}

async function inProcess(path) {
  const { write, close } = await openBare(path);
  return { write: async (rows) => write(rows), close };
}

const PLACES = { thread: inThread, process: inProcess };

/**
 * The transactions of such calls: the same statements with the same bytes, by the same driver with the same settings. In a thread,
 * as everybody needs who must not block for as long as the disk takes: the driver is synchronous. And for comparison in this
 * one, where nothing else runs meanwhile.
 */
export async function bareOnSqlite(path, artifact, { place, count }) {
  const store = await openStore(`sqlite:${path}`);
  const appends = await SameAppends.of(artifact, store, "session-10");
  await store.close();
  const { write, close } = await PLACES[place](path);
  const cycle = new CallCycle(allowedCalls());
  const turn = async () => {
    const rows = (await appends.of(cycle.take(count))).map(rowsOf);
    const elapsed = await timed(async () => {
      for (const each of rows) await write(each);
    });
    return elapsed / count;
  };
  return { turn, close };
}
