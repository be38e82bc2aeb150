import { setTimeout } from "node:timers/promises";
import type { DurableStore, StreamWrite } from "../../guard/durable-store.js";

/** How the store under test is reached. */
export interface ConformanceSetting {
  /** An empty store, another one each time. */
  open(): Promise<DurableStore>;
  /**
   * The same streams once more, as another process would open them; the first may be open or closed. Left out for a store
   * whose streams end with it: what it is needed for is then not tried.
   */
  reopen?(store: DurableStore): Promise<DurableStore>;
}

/** The store under test, as a case sees it. */
export interface Place {
  readonly open: () => Promise<DurableStore>;
  readonly reopen: (store: DurableStore) => Promise<DurableStore>;
}

/** One thing that a store has to do. */
export interface StoreCase {
  readonly name: string;
  /** Whether the streams have to be opened twice for it. */
  readonly needsReopen?: boolean;
  readonly run: (place: Place) => Promise<void>;
}

/** Records of a stream behind a revision, with a head that says how many there are. */
export function write(stream: string, expectedRevision: number, ...records: readonly string[]): StreamWrite {
  return { stream, expectedRevision, records, head: headAt(expectedRevision + records.length) };
}

export function headAt(revision: number): string {
  return JSON.stringify({ revision });
}

/** The texts of all records of a stream, read page by page. */
export async function allData(store: DurableStore, stream: string): Promise<readonly string[]> {
  const data: string[] = [];
  for (;;) {
    const page = await store.read(stream, data.length, 100);
    if (page.length === 0) return data;
    data.push(...page.map((record) => record.data));
  }
}

const PATIENCE_MS = 10_000;

/** Waits for a condition, up to a time limit. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`${what} did not happen within ${PATIENCE_MS} ms`);
    await setTimeout(5);
  }
}
