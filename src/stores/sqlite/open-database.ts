import { chmodSync, existsSync } from "node:fs";
import {
  CREATE_MIGRATIONS,
  latestVersion,
  type Migrated,
  type Migration,
  pendingMigrations,
  READ_VERSION,
  type SchemaMode,
} from "../schema.js";
import { StoreError } from "../store-error.js";
import type { SqliteConnection, SqliteDriver } from "./driver.js";
import { isBusy } from "./sqlite-failure.js";

/** How a database file is opened. */
export interface DatabaseSetting {
  readonly path: string;
  readonly shown: string;
  readonly synchronous: "full" | "normal";
  readonly timeoutMs: number;
  readonly migrations: readonly Migration[];
  readonly mode: SchemaMode;
}

/** Pauses this thread, which serves the database alone. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** SQLite does not wait for others while it changes the journal, whatever its time limit. */
function useWal(connection: SqliteConnection, { shown, timeoutMs }: DatabaseSetting): void {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      const mode = connection.prepare("pragma journal_mode = wal").get()?.journal_mode;
      if (mode === "wal") return;
      throw new StoreError("store_failed", `the store ${shown}: its file system does not support write-ahead logging`);
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > end) throw cause;
      pause(5);
    }
  }
}

function foundVersion(connection: SqliteConnection): number | null {
  const table = connection.prepare("select 1 from sqlite_master where name = 'contract_guard_migrations'").get();
  if (table === undefined) return null;
  const version = connection.prepare(READ_VERSION).get()?.version;
  return typeof version === "number" ? version : null;
}

/** In one transaction that writes, also where nothing is to be done: a file that cannot be written is found out here. */
function applySchema(connection: SqliteConnection, { migrations, mode, shown }: DatabaseSetting): Migrated {
  connection.exec("begin immediate");
  try {
    const from = foundVersion(connection);
    const pending = pendingMigrations(migrations, { found: from, mode, shown });
    if (pending.length > 0) connection.exec(CREATE_MIGRATIONS);
    for (const { version, sqlite } of pending) {
      for (const statement of sqlite) connection.exec(statement);
      connection.prepare("insert into contract_guard_migrations (version) values (?)").run(version);
    }
    connection.exec("commit");
    return { from, to: latestVersion(migrations) };
  } catch (cause) {
    connection.exec("rollback");
    throw cause;
  }
}

/** Opens a database file, creates or checks its schema, and makes sure that what is committed is on the disk. */
export function openDatabase(
  { DatabaseSync }: SqliteDriver,
  setting: DatabaseSetting,
): { readonly connection: SqliteConnection; readonly migrated: Migrated } {
  const isNew = !existsSync(setting.path);
  const connection = new DatabaseSync(setting.path);
  try {
    // It will have parts of arguments. SQLite gives the files beside it the same rights. Not created here beforehand: closing a
    // file takes the locks of the whole process from it.
    if (isNew) chmodSync(setting.path, 0o600);
    connection.exec(`pragma busy_timeout = ${setting.timeoutMs}`);
    // Before anything is changed: a database of something else stays as it is.
    if (setting.mode === "open") pendingMigrations(setting.migrations, { ...setting, found: foundVersion(connection) });
    useWal(connection, setting);
    connection.exec(`pragma synchronous = ${setting.synchronous}`);
    // Elsewhere than on macOS this does nothing; there a sync alone does not reach the disk.
    if (setting.synchronous === "full") connection.exec("pragma fullfsync = on; pragma checkpoint_fullfsync = on");
    return { connection, migrated: applySchema(connection, setting) };
  } catch (cause) {
    connection.close();
    throw cause;
  }
}
