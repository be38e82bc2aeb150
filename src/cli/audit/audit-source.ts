import { resolve } from "node:path";
import { UnknownSession } from "../../audit/export-log.js";
import type { DurableStore } from "../../guard/durable-store.js";
import { openStore } from "../../stores/open-store.js";
import { StoreError } from "../../stores/store-error.js";
import { storePlace } from "../../stores/store-url.js";
import { UsageError } from "../exit-code.js";
import type { Terminal } from "../terminal.js";
import { readLines } from "./read-lines.js";

/** Whether a name is that of a store; otherwise it is that of a file. A URL of any kind may have a password, and is no file. */
export function isStoreName(name: string): boolean {
  return /^(?:memory|sqlite|postgres|postgresql):|^[a-z][a-z0-9+.-]*:\/\//i.test(name);
}

/** Works with an open store, and closes it. */
export async function withStore<T>(
  { cwd }: Terminal,
  url: string,
  work: (store: DurableStore) => Promise<T>,
): Promise<T> {
  try {
    if (storePlace(url, cwd).kind === "memory") {
      throw new UsageError("a store in memory is gone with its process: name a sqlite or postgres store");
    }
    // One that is not there must not be created by whoever checks it.
    const store = await openStore(url, { cwd, create: false });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (cause) {
    if (cause instanceof StoreError || cause instanceof UnknownSession) throw new UsageError(cause.message);
    throw cause;
  }
}

/** The lines of the file of an export. */
export function linesOf({ cwd }: Terminal, name: string): AsyncIterable<string | null> {
  return readLines(resolve(cwd, name), name);
}
