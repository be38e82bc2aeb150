import { cleanLine } from "../../base/clean.js";
import { Skipped } from "../../sessions/skipped.js";
import { StoreAccess } from "../../sessions/store-access.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import type { Terminal } from "../terminal.js";
import { withNamedStore } from "../with-named-store.js";

/** Works with the sessions of the store that a command names. */
export async function withStore<T>(
  terminal: Terminal,
  url: string,
  work: (access: StoreAccess) => Promise<T>,
): Promise<T> {
  return withNamedStore(terminal, url, (store) => work(new StoreAccess(store, { env: terminal.env })));
}

/** A list of what can be read; sessions that cannot be are named on standard error, and the command then fails. */
export async function listed<T>(
  terminal: Terminal,
  url: string,
  list: (access: StoreAccess, skipped: Skipped) => Promise<T>,
): Promise<{ readonly list: T; readonly code: ExitCode }> {
  const skipped = new Skipped();
  const found = await withStore(terminal, url, (access) => list(access, skipped));
  for (const { message } of skipped.all.values())
    terminal.stderr.write(`contracts: not listed: ${cleanLine(message)}\n`);
  return { list: found, code: skipped.all.size === 0 ? EXIT.clean : EXIT.findings };
}
