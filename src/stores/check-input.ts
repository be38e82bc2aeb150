import type { ListOptions, StreamWrite } from "../guard/durable-store.js";

/** So that the key of a record fits into an index of every engine. */
export const MOST_NAME_BYTES = 512;
const MOST_ID_BYTES = 128;
const MOST_LISTED = 10_000;
/** So that everything about an append fits into one statement, which may have 65,535 values. */
const MOST_RECORDS = 5_000;

function checkText(what: string, text: unknown): asserts text is string {
  if (typeof text !== "string") throw new TypeError(`${what} must be a text`);
  // U+0000 ends a text in some engines, and half of a pair has no UTF-8: two different names would become one.
  if (!text.isWellFormed() || text.includes("\0"))
    throw new TypeError(`${what} must hold neither U+0000 nor half of a surrogate pair`);
}

function checkName(what: string, text: unknown, most: number): void {
  checkText(what, text);
  const bytes = Buffer.byteLength(text);
  if (bytes < 1 || bytes > most) throw new TypeError(`${what} must have 1 to ${most} bytes, not ${bytes}`);
}

/** Rejects what cannot be the name of a stream. */
export function checkStream(stream: string): void {
  checkName("the name of a stream", stream, MOST_NAME_BYTES);
}

/** Rejects what cannot be a number of records. */
export function checkRevision(what: string, revision: number): void {
  if (Number.isSafeInteger(revision) && revision >= 0) return;
  throw new TypeError(`${what} must be a whole number from 0 on`);
}

/** Rejects what cannot be a number of rows. */
export function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MOST_LISTED) return;
  throw new TypeError(`the limit must be a whole number from 1 to ${MOST_LISTED}`);
}

function checkWrite({ stream, expectedRevision, expectedLast, records, head, snapshot }: StreamWrite): void {
  checkStream(stream);
  checkRevision("the expected revision", expectedRevision);
  if (expectedLast !== undefined) checkName("the id of the expected append", expectedLast, MOST_ID_BYTES);
  if (!Array.isArray(records) || records.length === 0) {
    throw new TypeError(`an append must have at least one record for each stream, and has none for \`${stream}\``);
  }
  for (const data of records) checkText("a record", data);
  checkText("the head of a stream", head);
  if (snapshot !== undefined) checkText("a snapshot", snapshot);
}

/** Rejects an append that no store could keep unchanged. */
export function checkAppend(appendId: string, writes: readonly StreamWrite[]): void {
  checkName("the id of an append", appendId, MOST_ID_BYTES);
  if (!Array.isArray(writes) || writes.length === 0) throw new TypeError("an append must write to a stream");
  for (const write of writes) checkWrite(write);
  const records = writes.reduce((sum, write) => sum + write.records.length, 0);
  if (records > MOST_RECORDS)
    throw new TypeError(`an append must have at most ${MOST_RECORDS} records, not ${records}`);
  if (new Set(writes.map(({ stream }) => stream)).size === writes.length) return;
  throw new TypeError("an append must not write to a stream twice");
}

/** What is listed by default. */
export function checkedListOptions({ prefix = "", after = "", limit = 100 }: ListOptions): Required<ListOptions> {
  checkText("the prefix", prefix);
  checkText("the name to list after", after);
  checkLimit(limit);
  return { prefix, after, limit };
}
