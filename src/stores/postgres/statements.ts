/** A statement that the server keeps prepared under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

function statement(name: string, text: string): Statement {
  return { name: `contract_guard_${name}`, text };
}

/** The clock of the server in milliseconds. */
const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";

/**
 * A whole append, in one statement and so in one round trip and one transaction, whatever the number of streams.
 *
 * `asked` are the streams with what is expected of them, in the order of their names, so that two appends never wait for
 * each other. `fitting` compares all of them with what this statement saw when it began: in most conflicts nothing is
 * touched. Otherwise `heads` writes each stream that is still there, waiting for others who write to it; where one came
 * first, the number of rows is wrong, and where some were written and some were not, the division ends the statement with
 * an error, and everything is taken back.
 */
export const APPEND = statement(
  "append",
  `with asked as (
     select * from unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
       as a (stream, before, revision, head, checksum)
   ), fitting as (
     select count(*) as streams
     from asked left join contract_guard_streams as s on s.stream = asked.stream
     where coalesce(s.revision, 0) = asked.before
   ), heads as (
     insert into contract_guard_streams as s (stream, before, revision, head, updated, checksum)
     select asked.stream, asked.before, asked.revision, asked.head, ${NOW}, asked.checksum
     from asked, fitting
     where fitting.streams = cardinality($1::bytea[])
     order by asked.stream
     on conflict (stream) do update set
       before = excluded.before, revision = excluded.revision, head = excluded.head,
       updated = excluded.updated, checksum = excluded.checksum
     where s.revision = excluded.before
     returning s.stream
   ), written as (
     insert into contract_guard_records (stream, revision, append_id, data, checksum)
     select r.stream, r.revision, $6::text, r.data, r.checksum
     from unnest($7::bytea[], $8::bigint[], $9::text[], $10::text[]) as r (stream, revision, data, checksum)
     join heads on heads.stream = r.stream
   ), snapshots as (
     insert into contract_guard_snapshots as s (stream, revision, data, checksum)
     select p.stream, p.revision, p.data, p.checksum
     from unnest($11::bytea[], $12::bigint[], $13::text[], $14::text[]) as p (stream, revision, data, checksum)
     join heads on heads.stream = p.stream
     on conflict (stream) do update set
       revision = excluded.revision, data = excluded.data, checksum = excluded.checksum
   ), done as (
     select count(*) as streams from heads
   )
   select done.streams, ${NOW} as now,
     1 / case when done.streams in (0, cardinality($1::bytea[])) then 1 else 0 end as whole
   from done`,
);

/** What the division above ends with. */
export const NOT_WHOLE = "22012";

/** Everything about a stream as of one moment: the clock, the head, the snapshot and the records, told apart by \`part\`. */
export const LOAD = statement(
  "load",
  `with snapshot as (
     select revision, data, checksum from contract_guard_snapshots where stream = $1::bytea and revision >= $2::bigint
   )
   select 'clock' as part, ${NOW} as revision, null::text as append_id, null::text as data, null::text as checksum
   union all
   select 'head', revision, null, head, checksum from contract_guard_streams where stream = $1::bytea
   union all
   select 'snapshot', revision, null, data, checksum from snapshot
   union all
   select 'record', revision, append_id, data, checksum from contract_guard_records
   where stream = $1::bytea and revision > coalesce((select revision from snapshot), $3::bigint)`,
);

export const READ = statement(
  "read",
  `select revision, append_id, data, checksum from contract_guard_records
   where stream = $1::bytea and revision > $2::bigint order by revision limit $3::bigint`,
);

export const LIST = statement(
  "list",
  `select stream, revision, head, updated, checksum from contract_guard_streams
   where stream >= $1::bytea and stream <= $2::bytea and stream > $3::bytea order by stream limit $4::bigint`,
);

export const REVISIONS = statement(
  "revisions",
  "select stream, revision from contract_guard_streams where stream = any($1::bytea[])",
);

/** Who listens gets the schema too: several stores may share a database. */
export const CHANNEL = "contract_guard";
export const NOTIFY = statement(
  "notify",
  `select pg_notify('${CHANNEL}', json_build_array(current_schema(), n.stream, n.revision)::text)
   from unnest($1::text[], $2::bigint[]) as n (stream, revision)`,
);
