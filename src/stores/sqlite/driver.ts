import { foreignProperty } from "../../base/foreign-value.js";
import { StoreError } from "../store-error.js";

type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/** A prepared statement, as far as it is used here. */
export interface SqliteStatement {
  run(...values: readonly SqlValue[]): unknown;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}

/** The part of `DatabaseSync` that is used here; both drivers have it. */
export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteDriver {
  readonly DatabaseSync: new (path: string) => SqliteConnection;
}

const PACKAGE = "@photostructure/sqlite";

/**
 * Earlier releases may lose or corrupt what two connections write while both checkpoint (https://sqlite.org/wal.html, "The
 * WAL-reset bug"). Two older lines got the fix as well.
 */
export function hasWalResetFix(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major !== 3) return major > 3;
  if (minor === 44) return patch >= 6;
  if (minor === 50) return patch >= 7;
  return minor > 51 || (minor === 51 && patch >= 3);
}

async function importDriver(name: string): Promise<SqliteDriver | null> {
  try {
    return await import(name);
  } catch (cause) {
    const code = foreignProperty(cause, "code");
    if (code === "ERR_UNKNOWN_BUILTIN_MODULE" || code === "ERR_MODULE_NOT_FOUND") return null;
    throw new StoreError("driver_missing", `the package \`${name}\` is there, but cannot be loaded (${String(code)})`);
  }
}

function versionOf({ DatabaseSync }: SqliteDriver): string {
  const connection = new DatabaseSync(":memory:");
  try {
    return String(connection.prepare("select sqlite_version() as version").get()?.version);
  } finally {
    connection.close();
  }
}

/** The SQLite of Node where it has one that is safe, else that of the package. */
export async function loadDriver(): Promise<SqliteDriver> {
  const old: string[] = [];
  for (const name of ["node:sqlite", PACKAGE]) {
    const driver = await importDriver(name);
    if (driver === null) continue;
    const version = versionOf(driver);
    if (hasWalResetFix(version)) return driver;
    old.push(`${name} has ${version}`);
  }
  if (old.length === 0) {
    throw new StoreError(
      "driver_missing",
      `sqlite stores need the package \`${PACKAGE}\`: npm install ${PACKAGE} (or a Node that has node:sqlite)`,
    );
  }
  throw new StoreError(
    "driver_outdated",
    `SQLite before 3.51.3 may lose what several connections write, and ${old.join(", ")}: npm install ${PACKAGE}@latest, or use a newer Node`,
  );
}
