import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headChecksum, recordChecksum, snapshotChecksum } from "../../../dist/stores/checksum.js";
import { openStore } from "../../../dist/stores/open-store.js";
import { MIGRATIONS } from "../../../dist/stores/schema.js";
import { loadDriver } from "../../../dist/stores/sqlite/driver.js";
import { openDatabase } from "../../../dist/stores/sqlite/open-database.js";
import { allowedCalls } from "../scenario/traffic.mjs";
import { SameAppends } from "./same-appends.mjs";
import { CallCycle, makeCall, readyGuard } from "./session.mjs";
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
  const store = await openStore(`sqlite:${path}`);
  const guards = [];
  for (let at = 0; at < sessions; at++) guards.push(await readyGuard(artifact, store, `session-${at + 10}`));
  const cycle = new CallCycle(allowedCalls());
  const turn = async () => {
    const calls = cycle.take(count);
    const work = async (guard) => {
      for (const call of calls) await makeCall(guard, call);
    };
    return (await timed(() => Promise.all(guards.map(work)))) / count;
  };
  return { turn, close: () => store.close() };
}

/** The statements of an append, as the store has them. */
function statementsOf(connection) {
  return {
    revision: connection.prepare("select revision from contract_guard_streams where stream = ?"),
    head: connection.prepare(
      `insert into contract_guard_streams (stream, revision, head, updated, checksum) values (?, ?, ?, ?, ?)
       on conflict (stream) do update set
         revision = excluded.revision, head = excluded.head, updated = excluded.updated, checksum = excluded.checksum`,
    ),
    record: connection.prepare(
      "insert into contract_guard_records (stream, revision, append_id, data, checksum) values (?, ?, ?, ?, ?)",
    ),
    snapshot: connection.prepare(
      `insert into contract_guard_snapshots (stream, revision, data, checksum) values (?, ?, ?, ?)
       on conflict (stream) do update set
         revision = excluded.revision, data = excluded.data, checksum = excluded.checksum`,
    ),
  };
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

function write(connection, statements, { stream, expectedRevision, head, records, snapshot }) {
  connection.exec("begin immediate");
  if (statements.revision.get(stream)?.revision !== expectedRevision) throw new Error("a bare append does not fit");
  statements.head.run(...head);
  for (const record of records) statements.record.run(...record);
  if (snapshot !== null) statements.snapshot.run(...snapshot);
  connection.exec("commit");
}

/**
 * The transactions of such calls, in this thread: nothing is sent to another one and back, which is the least that any program
 * could do with this driver, but nothing else runs while the disk is waited for.
 */
export async function bareOnSqlite(path, artifact, count) {
  const store = await openStore(`sqlite:${path}`);
  const appends = await SameAppends.of(artifact, store, "session-10");
  await store.close();
  const setting = { path, shown: path, synchronous: "full", timeoutMs: 5000, migrations: MIGRATIONS, mode: "create" };
  const { connection } = openDatabase(await loadDriver(), setting);
  const statements = statementsOf(connection);
  const cycle = new CallCycle(allowedCalls());
  const turn = async () => {
    const rows = (await appends.of(cycle.take(count))).map(rowsOf);
    const elapsed = await timed(() => {
      for (const each of rows) write(connection, statements, each);
    });
    return elapsed / count;
  };
  return { turn, close: () => connection.close() };
}
