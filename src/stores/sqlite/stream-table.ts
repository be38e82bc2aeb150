import type { ListedStream, ListOptions, LoadedStream, StoredRecord, StreamWrite } from "../../guard/durable-store.js";
import { checkComplete, checkSum, headChecksum, recordChecksum, snapshotChecksum } from "../checksum.js";
import { leastSnapshot } from "../prefers-snapshot.js";
import { isRecorded } from "../repeated-append.js";
import { lastWithPrefix } from "../text-order.js";
import type { Row, SqliteConnection } from "./driver.js";

/** As a limit, to SQLite. */
const ALL = -1;

function statementsOf(connection: SqliteConnection) {
  return {
    version: connection.prepare("pragma data_version"),
    head: connection.prepare("select revision, head, updated, checksum from contract_guard_streams where stream = ?"),
    revision: connection.prepare("select revision from contract_guard_streams where stream = ?"),
    appendId: connection.prepare("select append_id from contract_guard_records where stream = ? and revision = ?"),
    putHead: connection.prepare(
      `insert into contract_guard_streams (stream, revision, head, updated, checksum) values (?, ?, ?, ?, ?)
       on conflict (stream) do update set
         revision = excluded.revision, head = excluded.head, updated = excluded.updated, checksum = excluded.checksum`,
    ),
    addRecord: connection.prepare(
      `insert into contract_guard_records (stream, revision, append_id, data, checksum) values (?, ?, ?, ?, ?)`,
    ),
    records: connection.prepare(
      `select revision, append_id, data, checksum from contract_guard_records
       where stream = ? and revision > ? order by revision limit ?`,
    ),
    snapshot: connection.prepare(
      "select revision, data, checksum from contract_guard_snapshots where stream = ? and revision >= ?",
    ),
    putSnapshot: connection.prepare(
      `insert into contract_guard_snapshots (stream, revision, data, checksum) values (?, ?, ?, ?)
       on conflict (stream) do update set
         revision = excluded.revision, data = excluded.data, checksum = excluded.checksum`,
    ),
    list: connection.prepare(
      `select stream, revision, head, updated, checksum from contract_guard_streams
       where stream >= ? and stream <= ? and stream > ? order by stream limit ?`,
    ),
  };
}

/** The records behind one revision up to another, up to a number of them. */
interface Page {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** Streams in a database file, one request after the other. Transactions are left to its caller. */
export class StreamTable {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(connection: SqliteConnection) {
    this.statements = statementsOf(connection);
  }

  /** Another number whenever another connection has written. */
  version(): unknown {
    return this.statements.version.get()?.data_version;
  }

  revisionOf(stream: string): number {
    return Number(this.statements.revision.get(stream)?.revision ?? 0);
  }

  load(stream: string, after: number | undefined): LoadedStream {
    const row = this.statements.head.get(stream);
    if (row === undefined) {
      // A stream that lost its head must not start over.
      this.records(stream, { from: 0, to: 0, limit: 1 });
      return { revision: 0, head: null, snapshot: null, records: [], now: null };
    }
    const { revision, head } = listed(stream, row);
    const snapshot = this.snapshot(stream, after);
    const from = snapshot?.revision ?? after ?? 0;
    const records = this.records(stream, { from, to: revision, limit: ALL });
    return { revision, head, snapshot, records, now: null };
  }

  read(stream: string, after: number, limit: number): readonly StoredRecord[] {
    return this.records(stream, { from: after, to: Math.min(this.revisionOf(stream), after + limit), limit });
  }

  list({ prefix, after, limit }: Required<ListOptions>): readonly ListedStream[] {
    const rows = this.statements.list.all(prefix, lastWithPrefix(prefix), after, limit);
    return rows.map((row) => listed(String(row.stream), row));
  }

  /** All of them or none: nothing is written before every stream is known to be where it was expected. */
  append(appendId: string, writes: readonly StreamWrite[], time: number): "appended" | "conflict" {
    if (!writes.every((write) => this.isFitting(write))) {
      return writes.every((write) => this.isRepeat(appendId, write)) ? "appended" : "conflict";
    }
    for (const write of writes) this.write(appendId, write, time);
    return "appended";
  }

  private records(stream: string, { from, to, limit }: Page): readonly StoredRecord[] {
    const records = this.statements.records.all(stream, from, limit).map((row) => {
      const record = { revision: Number(row.revision), appendId: String(row.append_id), data: String(row.data) };
      checkSum(`record ${record.revision} of \`${stream}\``, row.checksum, recordChecksum(stream, record));
      return record;
    });
    checkComplete(stream, records, { from, to });
    return records;
  }

  private isFitting({ stream, expectedRevision, expectedLast }: StreamWrite): boolean {
    if (this.revisionOf(stream) !== expectedRevision) return false;
    return (
      expectedLast === undefined || this.statements.appendId.get(stream, expectedRevision)?.append_id === expectedLast
    );
  }

  private isRepeat(appendId: string, write: StreamWrite): boolean {
    return isRecorded(appendId, write, this.read(write.stream, write.expectedRevision, write.records.length));
  }

  private write(appendId: string, { stream, expectedRevision, records, head, snapshot }: StreamWrite, time: number) {
    let revision = expectedRevision;
    for (const data of records) {
      revision += 1;
      const sum = recordChecksum(stream, { revision, appendId, data });
      this.statements.addRecord.run(stream, revision, appendId, data, sum);
    }
    this.statements.putHead.run(stream, revision, head, time, headChecksum(stream, revision, head));
    if (snapshot === undefined) return;
    this.statements.putSnapshot.run(stream, revision, snapshot, snapshotChecksum(stream, revision, snapshot));
  }

  private snapshot(stream: string, after: number | undefined): LoadedStream["snapshot"] {
    const row = this.statements.snapshot.get(stream, leastSnapshot(after));
    if (row === undefined) return null;
    const snapshot = { revision: Number(row.revision), data: String(row.data) };
    const sum = snapshotChecksum(stream, snapshot.revision, snapshot.data);
    checkSum(`the snapshot of \`${stream}\``, row.checksum, sum);
    return snapshot;
  }
}

function listed(stream: string, row: Row): ListedStream {
  const revision = Number(row.revision);
  const head = String(row.head);
  checkSum(`the head of \`${stream}\``, row.checksum, headChecksum(stream, revision, head));
  return { stream, revision, head, updated: Number(row.updated) };
}
