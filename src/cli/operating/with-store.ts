import { cleanLine } from "../../base/clean.js";
import { isStoreUnavailable } from "../../guard/session/store-errors.js";
import { SessionError } from "../../sessions/session-error.js";
import { Skipped } from "../../sessions/skipped.js";
import { StoreAccess } from "../../sessions/store-access.js";
import { openStore } from "../../stores/open-store.js";
import { StoreError } from "../../stores/store-error.js";
import { storePlace } from "../../stores/store-url.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import type { Terminal } from "../terminal.js";

/** Problems of the machine, or of what was asked for: one line, no stack. */
function isReported(cause: unknown): cause is Error {
  return cause instanceof StoreError || cause instanceof SessionError || isStoreUnavailable(cause);
}

/** Opens the store of a command, which is never created by it, and closes it afterwards. */
export async function withStore<T>(
  { cwd, env }: Terminal,
  url: string,
  work: (access: StoreAccess) => Promise<T>,
): Promise<T> {
  try {
    if (storePlace(url, cwd).kind === "memory") {
      throw new UsageError("a store in memory is gone with its process: name a sqlite or postgres store");
    }
    const store = await openStore(url, { cwd, create: false });
    try {
      return await work(new StoreAccess(store, { env }));
    } finally {
      await store.close();
    }
  } catch (cause) {
    throw isReported(cause) ? new UsageError(cause.message) : cause;
  }
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
