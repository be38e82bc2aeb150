import { UnknownSession } from "../audit/export-log.js";
import type { DurableStore } from "../guard/durable-store.js";
import { isStoreUnavailable } from "../guard/session/store-errors.js";
import { SessionError } from "../sessions/session-error.js";
import { openStore } from "../stores/open-store.js";
import { StoreError } from "../stores/store-error.js";
import { storePlace } from "../stores/store-url.js";
import { UsageError } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** Problems of the machine, or of what the command was given: one line, no stack. */
function isReported(cause: unknown): cause is Error {
  const isOfStore = cause instanceof StoreError || isStoreUnavailable(cause);
  return isOfStore || cause instanceof SessionError || cause instanceof UnknownSession;
}

/** Opens the store that a command names and closes it afterwards. A store that does not exist is not created. */
export async function withNamedStore<T>(
  { cwd }: Terminal,
  url: string,
  work: (store: DurableStore) => Promise<T>,
): Promise<T> {
  try {
    if (storePlace(url, cwd).kind === "memory") {
      throw new UsageError("a store in memory is gone with its process: name a sqlite or postgres store");
    }
    const store = await openStore(url, { cwd, create: false });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (cause) {
    throw isReported(cause) ? new UsageError(cause.message) : cause;
  }
}
