import { StoreError } from "./store-error.js";

/**
 * One step of the schema. Statements run in order, and a step that was interrupted runs again from its first: each must do
 * no harm the second time. No sequences, triggers, collations or locks: some servers that speak the protocol have none.
 */
export interface Migration {
  readonly version: number;
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}

/** Which steps a store has been through: one row for each. */
export const CREATE_MIGRATIONS = `create table if not exists contract_guard_migrations (version integer primary key)`;
export const READ_VERSION = `select max(version) as version from contract_guard_migrations`;

const FIRST: Migration = {
  version: 1,
  // Records are a table with a row id and a separate index: a key table would hold long rows in the nodes of its tree.
  sqlite: [
    `create table if not exists contract_guard_streams (
       stream text primary key, revision integer not null, head text not null, updated integer not null,
       checksum text not null) strict, without rowid`,
    `create table if not exists contract_guard_records (
       stream text not null, revision integer not null, append_id text not null, data text not null,
       checksum text not null, unique (stream, revision)) strict`,
    `create table if not exists contract_guard_snapshots (
       stream text primary key, revision integer not null, data text not null, checksum text not null) strict`,
  ],
  // Names are bytes, because texts are ordered differently from database to database. \`before\` is the revision that the
  // last append expected.
  postgres: [
    `create table if not exists contract_guard_streams (
       stream bytea primary key, before bigint not null, revision bigint not null, head text not null,
       updated bigint not null, checksum text not null)`,
    `create table if not exists contract_guard_records (
       stream bytea not null, revision bigint not null, append_id text not null, data text not null,
       checksum text not null, primary key (stream, revision))`,
    `create table if not exists contract_guard_snapshots (
       stream bytea primary key, revision bigint not null, data text not null, checksum text not null)`,
  ],
};

/** All steps, oldest first. */
export const MIGRATIONS: readonly Migration[] = [FIRST];

/** From which version to which a store was taken; null where there was nothing before. */
export interface Migrated {
  readonly from: number | null;
  readonly to: number;
}

/** What opening a store may do to its schema: nothing, create one where there is none, or also bring an older one up to date. */
export type SchemaMode = "open" | "create" | "migrate";

export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** The steps that a store still has to go through, or a refusal that says what to do. */
export function pendingMigrations(
  migrations: readonly Migration[],
  { found, mode, shown }: { readonly found: number | null; readonly mode: SchemaMode; readonly shown: string },
): readonly Migration[] {
  const latest = latestVersion(migrations);
  if (found === null && mode === "open") {
    throw new StoreError(
      "schema_missing",
      `there is no store at ${shown}: correct its address, or set one up with \`contracts store migrate ${shown}\``,
    );
  }
  if (found !== null && found > latest) {
    throw new StoreError(
      "schema_unknown",
      `the store ${shown} has schema ${found}, and this version of contract-guard knows up to ${latest}: use a newer one`,
    );
  }
  if (found !== null && found < latest && mode !== "migrate") {
    throw new StoreError(
      "schema_outdated",
      `the store ${shown} has schema ${found}, and this version of contract-guard needs ${latest}: back it up and run \`contracts store migrate ${shown}\``,
    );
  }
  return migrations.filter(({ version }) => version > (found ?? 0));
}
