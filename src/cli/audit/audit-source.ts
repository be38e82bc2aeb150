import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { clean } from "../../base/clean.js";
import { UsageError } from "../exit-code.js";
import { readLines } from "../read-lines.js";
import type { Terminal } from "../terminal.js";

/** Whether a name is that of a store; otherwise it is that of a file. A URL of any kind may have a password, and is no file. */
export function isStoreName(name: string): boolean {
  return /^(?:memory|sqlite|postgres|postgresql):|^[a-z][a-z0-9+.-]*:\/\//i.test(name);
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

/** The lines of the file of an export. */
export function linesOf({ cwd }: Terminal, name: string): AsyncIterable<string | null> {
  const path = resolve(cwd, name);
  if (isDatabase(path)) {
    throw new UsageError(
      `\`${clean(name)}\` is an SQLite database and no export: as a store it is \`sqlite:${clean(name)}\``,
    );
  }
  return readLines(path, name);
}
