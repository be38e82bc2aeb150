import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore, type StoreOptions } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES } from "./postgres-database.js";
import { storeFolder } from "./store-folder.js";

/** A store that is closed with the test. */
export async function closing(url: string, options: StoreOptions = {}): Promise<DurableStore> {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

/** The URL of a new sqlite store, which goes with the test. */
export function sqliteUrl(): string {
  return `sqlite:${join(storeFolder(), "guard.db")}`;
}

type NewUrl = () => string | Promise<string>;

const ON_DISK: readonly (readonly [string, NewUrl])[] = [
  ["sqlite", sqliteUrl],
  ...(POSTGRES === null ? [] : [["postgres", () => newSchema()] as const]),
];

/** The kinds of stores that other processes can open, each with a URL of its own. */
export const SHARED_KINDS = ON_DISK;
/** Every kind of store. */
export const ALL_KINDS: typeof ON_DISK = [["memory", () => "memory:"], ...ON_DISK];
