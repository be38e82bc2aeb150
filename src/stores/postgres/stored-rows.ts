import type { ListedStream, LoadedStream, StoredRecord } from "../../guard/durable-store.js";
import { checkComplete, checkSum, headChecksum, recordChecksum, snapshotChecksum } from "../checksum.js";
import type { Row } from "./database.js";

/** Names are stored as bytes. */
export function nameOf(bytes: unknown): string {
  return Buffer.isBuffer(bytes) ? bytes.toString("utf8") : String(bytes);
}

/** A record as it was written, or a refusal. */
export function recordOf(stream: string, row: Row): StoredRecord {
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

/** A stream in a list as it was written, or a refusal. */
export function listedOf(row: Row): ListedStream {
  const stream = nameOf(row.stream);
  const revision = Number(row.revision);
  const head = String(row.head);
  checkSum(`the head of \`${stream}\``, row.checksum, headChecksum(stream, revision, head));
  return { stream, revision, head, updated: Number(row.updated) };
}

/** Puts together what the statement that loads a stream answered, in whatever order. */
export function loadedFrom(
  rows: readonly Row[],
  { stream, after }: { readonly stream: string; readonly after: number },
): LoadedStream {
  const now = partOf(rows, "clock")?.revision ?? null;
  const head = partOf(rows, "head");
  if (head === null) return { revision: 0, head: null, snapshot: null, records: [], now };
  checkSum(`the head of \`${stream}\``, head.checksum, headChecksum(stream, head.revision, head.data));
  const found = partOf(rows, "snapshot");
  if (found !== null) {
    const sum = snapshotChecksum(stream, found.revision, found.data);
    checkSum(`the snapshot of \`${stream}\``, found.checksum, sum);
  }
  const snapshot = found === null ? null : { revision: found.revision, data: found.data };
  const records = rows
    .filter(({ part }) => part === "record")
    .map((row) => recordOf(stream, row))
    .sort((a, b) => a.revision - b.revision);
  const { revision } = head;
  checkComplete(stream, { revision, records }, snapshot?.revision ?? after);
  return { revision, head: head.data, snapshot, records, now };
}
