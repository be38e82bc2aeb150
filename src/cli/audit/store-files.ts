import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { clean } from "../../base/clean.js";
import { storePlace } from "../../stores/store-url.js";
import { UsageError } from "../exit-code.js";
import { isStoreName } from "./audit-source.js";

/** The files that SQLite keeps beside a database, by what is added to its name. */
const SIDES = ["", "-wal", "-shm", "-journal"] as const;

/** Where a path really is, also if nothing is there yet; null if its folder does not exist. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return null;
    }
  }
}

/** Which file it is, under whatever name; null where there is none. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Refuses to write to a file of the store that is read: it would be lost. */
export function demandOtherFile(source: string, cwd: string, out: { readonly path: string; readonly name: string }) {
  const place = isStoreName(source) ? storePlace(source, cwd) : null;
  const real = place?.kind === "sqlite" ? realPath(place.path) : null;
  if (real === null) return;
  const target = realPath(out.path);
  const identity = identityOf(out.path);
  const isOfStore = SIDES.some((side) => {
    const file = `${real}${side}`;
    return file === target || (identity !== null && identity === identityOf(file));
  });
  if (isOfStore) throw new UsageError(`cannot write to \`${clean(out.name)}\`: it is a file of the store itself`);
}

/** What every SQLite database begins with. */
const SQLITE = "SQLite format 3\0";

function isDatabase(path: string): boolean {
  const start = Buffer.alloc(SQLITE.length);
  try {
    // What a pipe gives can be read only once.
    if (!statSync(path).isFile()) return false;
    const file = openSync(path, "r");
    try {
      return readSync(file, start) === start.length && start.toString("latin1") === SQLITE;
    } finally {
      closeSync(file);
    }
  } catch {
    // Reading its lines says why.
    return false;
  }
}

/** Refuses a database that was named as the file of an export: nothing in it is a line of one. */
export function demandNoDatabase(cwd: string, name: string): void {
  if (!isDatabase(resolve(cwd, name))) return;
  const shown = clean(name);
  throw new UsageError(`\`${shown}\` is an SQLite database and no export: as a store it is \`sqlite:${shown}\``);
}
