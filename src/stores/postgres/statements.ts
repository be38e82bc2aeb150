/** A statement that the server keeps prepared under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Named after what it does, and apart from those of others on the same connection. */
export function statement(name: string, text: string): Statement {
  return { name: `contract_guard_${name}`, text };
}

/** The clock of the server in milliseconds. */
export const NOW = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** Everything about a stream as of one moment: the clock, the head, the snapshot and the records, distinguished by \`part\`. */
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
  `select 'head' as part, revision, null::text as append_id, head as data, checksum
   from contract_guard_streams where stream = $1::bytea
   union all
   (select 'record', revision, append_id, data, checksum from contract_guard_records
    where stream = $1::bytea and revision > $2::bigint order by revision limit $3::bigint)`,
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
/** An announcement may be lost, so it does not wait for the disk: there it would be in the way of appends. */
export const NOTIFY = statement(
  "notify",
  `select set_config('synchronous_commit', 'off', true),
     pg_notify('${CHANNEL}', json_build_array(current_schema(), n.stream, n.revision)::text)
   from unnest($1::text[], $2::bigint[]) as n (stream, revision)`,
);
