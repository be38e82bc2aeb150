import { statSync } from "node:fs";
import type { Migrated } from "../schema.js";
import { StoreError } from "../store-error.js";
import type { SqliteConnection, SqliteDriver } from "./driver.js";
import type { WorkerSetting } from "./messages.js";
import { openDatabase } from "./open-database.js";
import { StreamTable } from "./stream-table.js";

/** Which file a path leads to; null where there is none. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** A database file while it is open. */
export class OpenFile {
  readonly table: StreamTable;

  private constructor(
    readonly connection: SqliteConnection,
    readonly migrated: Migrated,
    readonly place: { readonly path: string; readonly shown: string; readonly identity: string | null },
  ) {
    this.table = new StreamTable(connection);
  }

  /** Without `creates` the file must be there: a lost file must not be replaced by an empty one. */
  static open(driver: SqliteDriver, setting: WorkerSetting): OpenFile {
    const { path, shown, creates } = setting;
    if (!creates && identityOf(path) === null) {
      throw new StoreError(
        "store_unreachable",
        `there is no file of the store ${shown}: correct its path, or put it back`,
      );
    }
    const { connection, migrated } = openDatabase(driver, setting);
    return new OpenFile(connection, migrated, { path, shown, identity: identityOf(path) });
  }

  /** Refuses when the path leads elsewhere by now: others would not see what is written, and it would be lost. */
  demandInPlace(): void {
    const { path, shown, identity } = this.place;
    if (identityOf(path) !== identity) throw gone(shown);
  }
}

function gone(shown: string): StoreError {
  return new StoreError("store_unreachable", `the file of the store ${shown} was removed or replaced: put it back`);
}
