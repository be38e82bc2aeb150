import { resolve } from "node:path";
import { readLines } from "../read-lines.js";
import type { Terminal } from "../terminal.js";

/** Whether a name is that of a store; otherwise it is that of a file. A URL of any kind may have a password, and is no file. */
export function isStoreName(name: string): boolean {
  return /^(?:memory|sqlite|postgres|postgresql):|^[a-z][a-z0-9+.-]*:\/\//i.test(name);
}

/** The lines of the file of an export. */
export function linesOf({ cwd }: Terminal, name: string): AsyncIterable<string | null> {
  return readLines(resolve(cwd, name), name);
}
