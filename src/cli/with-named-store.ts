import { UnknownSession } from "../audit/export-log.js";
import type { DurableStore } from "../guard/durable-store.js";
import { isStoreUnavailable } from "../guard/session/store-errors.js";
import { SessionError } from "../sessions/session-error.js";
import { openStore } from "../stores/open-store.js";
import { StoreError } from "../stores/store-error.js";
import { type StorePlace, storePlace } from "../stores/store-url.js";
import { UsageError } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** Problems of the machine, or of what the command was given: one line, no stack. */
function isReported(cause: unknown): cause is Error {
  const isOfStore = cause instanceof StoreError || isStoreUnavailable(cause);
  return isOfStore || cause instanceof SessionError || cause instanceof UnknownSession;
}

/** What a command says where the store was opened and then failed: the error has only the code. */
const FAILURES: ReadonlyMap<string | null, string> = new Map([
  ["store_damaged", "is damaged: `contracts audit verify` says where; restore it from a backup"],
  ["store_read_only", "cannot be written: nothing was changed; use a user, or a server, that may write"],
  ["store_full", "has no room: nothing was changed; make room on its disk"],
]);

/** A failure of the store that has more to say than its code. */
function worded(cause: unknown, { shown }: StorePlace): unknown {
  const words = isStoreUnavailable(cause) ? FAILURES.get(cause.thrown) : undefined;
  return words === undefined ? cause : new UsageError(`the store ${shown} ${words}`);
}

/** Opens the store that a command names and closes it afterwards. A store that does not exist is not created. */
export async function withNamedStore<T>(
  { cwd }: Terminal,
  url: string,
  work: (store: DurableStore) => Promise<T>,
): Promise<T> {
  try {
    const place = storePlace(url, cwd);
    if (place.kind === "memory") {
      throw new UsageError("a store in memory is gone with its process: name a sqlite or postgres store");
    }
    const store = await openStore(url, { cwd, create: false });
    try {
      return await work(store);
    } catch (cause) {
      throw worded(cause, place);
    } finally {
      await store.close();
    }
  } catch (cause) {
    throw isReported(cause) ? new UsageError(cause.message) : cause;
  }
}
