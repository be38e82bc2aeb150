import type { ListedStream, LoadedStream, Snapshot, StoredRecord } from "../../guard/durable-store.js";
import { checkComplete, checkSum, headChecksum, recordChecksum, snapshotChecksum } from "../checksum.js";
import type { Row } from "./database.js";

/** Names are stored as bytes. */
export function nameOf(bytes: unknown): string {
  return Buffer.isBuffer(bytes) ? bytes.toString("utf8") : String(bytes);
}

function recordOf(stream: string, row: Row): StoredRecord {
  const record = { revision: Number(row.revision), appendId: String(row.append_id), data: String(row.data) };
  checkSum(`record ${record.revision} of \`${stream}\``, row.checksum, recordChecksum(stream, record));
  return record;
}

interface Part {
  readonly revision: number;
  readonly data: string;
  readonly checksum: unknown;
}

function partOf(rows: readonly Row[], name: string): Part | null {
  const row = rows.find(({ part }) => part === name);
  return row === undefined ? null : { revision: Number(row.revision), data: String(row.data), checksum: row.checksum };
}

function recordsOf(rows: readonly Row[], stream: string): readonly StoredRecord[] {
  return rows
    .filter(({ part }) => part === "record")
    .map((row) => recordOf(stream, row))
    .sort((a, b) => a.revision - b.revision);
}

/** A page of records as they were written, or a refusal. */
export function pageFrom(
  rows: readonly Row[],
  { stream, after, limit }: { readonly stream: string; readonly after: number; readonly limit: number },
): readonly StoredRecord[] {
  const records = recordsOf(rows, stream);
  const revision = partOf(rows, "head")?.revision ?? 0;
  checkComplete(stream, records, { from: after, to: Math.min(revision, after + limit) });
  return records;
}

/** A stream in a list as it was written, or a refusal. */
export function listedOf(row: Row): ListedStream {
  const stream = nameOf(row.stream);
  const revision = Number(row.revision);
  const head = String(row.head);
  checkSum(`the head of \`${stream}\``, row.checksum, headChecksum(stream, revision, head));
  return { stream, revision, head, updated: Number(row.updated) };
}

/** Assembles a stream from the rows of the statement that loads it, in any order. */
export function loadedFrom(
  rows: readonly Row[],
  { stream, after }: { readonly stream: string; readonly after: number },
): LoadedStream {
  const now = partOf(rows, "clock")?.revision ?? null;
  const records = recordsOf(rows, stream);
  const head = partOf(rows, "head");
  if (head === null) {
    // A stream that lost its head must not start over.
    checkComplete(stream, records, { from: 0, to: 0 });
    return { revision: 0, head: null, snapshot: null, records: [], now };
  }
  const { revision, data } = head;
  checkSum(`the head of \`${stream}\``, head.checksum, headChecksum(stream, revision, data));
  const snapshot = snapshotOf(rows, stream);
  checkComplete(stream, records, { from: snapshot?.revision ?? after, to: revision });
  return { revision, head: data, snapshot, records, now };
}

function snapshotOf(rows: readonly Row[], stream: string): Snapshot | null {
  const found = partOf(rows, "snapshot");
  if (found === null) return null;
  const { revision, data, checksum } = found;
  checkSum(`the snapshot of \`${stream}\``, checksum, snapshotChecksum(stream, revision, data));
  return { revision, data };
}
