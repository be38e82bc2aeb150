import type { StreamWrite } from "../../guard/durable-store.js";
import { headChecksum, recordChecksum, snapshotChecksum } from "../checksum.js";
import { byBytes } from "../text-order.js";
import { NOW, type Statement, statement } from "./statements.js";

/** How many streams, records and snapshots an append has. */
interface Shape {
  readonly streams: number;
  readonly records: number;
  readonly snapshots: number;
}

/** Appends with more records than this are rare and each of another shape: the server need not keep them prepared. */
const MOST_PREPARED = 16;

/** Rows of parameters from a number on. Each value is one: an array of texts would have to be quoted and read again. */
function rows(count: number, first: number, types: readonly string[]): string {
  const row = (index: number) =>
    types.map((type, column) => `$${first + index * types.length + column}::${type}`).join(", ");
  return Array.from({ length: count }, (_, index) => `(${row(index)})`).join(", ");
}

const STREAM_TYPES = ["bytea", "bigint", "text", "bigint", "text", "text"];
const STORED_TYPES = ["bytea", "bigint", "text", "text"];

function snapshotsText(count: number, first: number): string {
  if (count === 0) return "";
  return `, snapshots as (
     insert into contract_guard_snapshots as s (stream, revision, data, checksum)
     select p.stream, p.revision, p.data, p.checksum
     from (values ${rows(count, first, STORED_TYPES)}) as p (stream, revision, data, checksum)
     join heads on heads.stream = p.stream
     on conflict (stream) do update set
       revision = excluded.revision, data = excluded.data, checksum = excluded.checksum
   )`;
}

/**
 * A whole append, in one statement and so in one round trip and one transaction, whatever the number of streams.
 *
 * `asked` are the streams with what is expected of them, in the order of their names, so that two appends never wait for
 * each other. `fitting` compares all of them with what this statement saw when it began: in most conflicts nothing is
 * touched. Otherwise `heads` writes each stream that is still there, waiting for others who write to it; where one came
 * first, the number of rows is wrong, and where some were written and some were not, the division ends the statement with
 * an error, and everything is taken back.
 */
function appendText({ streams, records, snapshots }: Shape): string {
  const firstRecord = 2 + streams * STREAM_TYPES.length;
  const firstSnapshot = firstRecord + records * STORED_TYPES.length;
  return `with asked (stream, before, last, revision, head, checksum) as (
     values ${rows(streams, 2, STREAM_TYPES)}
   ), fitting as (
     select count(*) as streams
     from asked left join contract_guard_streams as s on s.stream = asked.stream
     where coalesce(s.revision, 0) = asked.before and (asked.last is null or asked.last = (
       select r.append_id from contract_guard_records as r where r.stream = asked.stream and r.revision = asked.before
     ))
   ), heads as (
     insert into contract_guard_streams as s (stream, before, revision, head, updated, checksum)
     select asked.stream, asked.before, asked.revision, asked.head, ${NOW}, asked.checksum
     from asked, fitting
     where fitting.streams = ${streams}
     order by asked.stream
     on conflict (stream) do update set
       before = excluded.before, revision = excluded.revision, head = excluded.head,
       updated = excluded.updated, checksum = excluded.checksum
     where s.revision = excluded.before
     returning s.stream
   ), written as (
     insert into contract_guard_records (stream, revision, append_id, data, checksum)
     select r.stream, r.revision, $1::text, r.data, r.checksum
     from (values ${rows(records, firstRecord, STORED_TYPES)}) as r (stream, revision, data, checksum)
     join heads on heads.stream = r.stream
   )${snapshotsText(snapshots, firstSnapshot)}, done as (
     select count(*) as streams from heads
   )
   select done.streams, ${NOW} as now, 1 / case when done.streams in (0, ${streams}) then 1 else 0 end as whole
   from done`;
}

/** What the division ends with. */
export const NOT_WHOLE = "22012";

const known = new Map<string, Statement>();

function appendStatement(shape: Shape): Statement {
  const { streams, records, snapshots } = shape;
  if (records > MOST_PREPARED) return { name: "", text: appendText(shape) };
  const name = `append_${streams}_${records}_${snapshots}`;
  const found = known.get(name) ?? statement(name, appendText(shape));
  known.set(name, found);
  return found;
}

/** The statement for an append, with its values. */
export function appendQuery(
  appendId: string,
  given: readonly StreamWrite[],
): { readonly statement: Statement; readonly values: readonly unknown[] } {
  const writes = [...given].sort((a, b) => byBytes(a.stream, b.stream));
  const streams: unknown[] = [];
  const records: unknown[] = [];
  const snapshots: unknown[] = [];
  for (const { stream, expectedRevision, expectedLast = null, records: texts, head, snapshot } of writes) {
    const key = Buffer.from(stream);
    const revision = expectedRevision + texts.length;
    streams.push(key, expectedRevision, expectedLast, revision, head, headChecksum(stream, revision, head));
    texts.forEach((data, index) => {
      const record = { revision: expectedRevision + index + 1, appendId, data };
      records.push(key, record.revision, data, recordChecksum(stream, record));
    });
    if (snapshot === undefined) continue;
    snapshots.push(key, revision, snapshot, snapshotChecksum(stream, revision, snapshot));
  }
  const shape = {
    streams: writes.length,
    records: records.length / STORED_TYPES.length,
    snapshots: snapshots.length / STORED_TYPES.length,
  };
  return { statement: appendStatement(shape), values: [appendId, ...streams, ...records, ...snapshots] };
}
