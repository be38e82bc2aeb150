import { openStore } from "../../../dist/stores/open-store.js";
import { allowedCalls } from "../scenario/traffic.mjs";
import { CallCycle, makeCall, readyGuard } from "./session.mjs";

/** The most records that one append may have. */
const MOST_RECORDS = 5000;
/** A snapshot is written after about so many records: an open session reads at most so many. */
const MOST_BEHIND = 248;

/** A session with so many calls behind it, in memory. Where it has a snapshot, calls are added until the next one is near: the worst. */
async function makeSession(artifact, sessionId, count) {
  const store = await openStore("memory:");
  const guard = await readyGuard(artifact, store, sessionId);
  const cycle = new CallCycle(allowedCalls());
  for (const call of cycle.take(count - 1)) await makeCall(guard, call);
  const stream = `session/${sessionId}`;
  for (;;) {
    const { snapshot, records } = await store.load(stream);
    if (snapshot === null || records.length >= MOST_BEHIND) return { store, stream };
    await makeCall(guard, cycle.take(1)[0]);
  }
}

async function copyRecords(from, to, { stream, after, end, head, snapshot }) {
  for (let revision = after; revision < end; ) {
    const count = Math.min(MOST_RECORDS, end - revision);
    const records = (await from.read(stream, revision, count)).map(({ data }) => data);
    const isLast = revision + count === end;
    const write = { stream, expectedRevision: revision, records, head };
    const { kind } = await to.append(`copy-${revision}`, [
      isLast && snapshot !== null ? { ...write, snapshot } : write,
    ]);
    if (kind !== "appended") throw new Error("a record was not copied");
    revision += count;
  }
}

/**
 * Makes sessions with so many calls behind them, by their ids, and copies them to some stores, record by record and with their
 * snapshots: so that 200,000 appends do not have to wait for a disk.
 */
export async function storeSessions(stores, artifact, sessions) {
  for (const [sessionId, count] of Object.entries(sessions)) {
    const { store, stream } = await makeSession(artifact, sessionId, count);
    const { revision, head, snapshot } = await store.load(stream);
    const middle = snapshot?.revision ?? 0;
    for (const target of stores) {
      await copyRecords(store, target, { stream, after: 0, end: middle, head, snapshot: snapshot?.data ?? null });
      await copyRecords(store, target, { stream, after: middle, end: revision, head, snapshot: null });
    }
    await store.close();
  }
}
