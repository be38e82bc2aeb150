import type { DurableStore, ListedStream, LoadedStream, StoredRecord } from "../guard/durable-store.js";

/** How many records and streams are read at once. */
const PAGE = 500;

/** All streams whose names begin so, in the order of their names. */
export async function* streamsOf(store: DurableStore, prefix: string): AsyncGenerator<ListedStream> {
  for (let after = ""; ; ) {
    const page = await store.list({ prefix, after, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.stream;
  }
}

/** The records of a stream up to a revision, page by page. */
export async function* recordsOf(store: DurableStore, stream: string, revision: number): AsyncGenerator<StoredRecord> {
  for (let after = 0; after < revision; ) {
    const page = await pageOf(store, stream, { after, limit: Math.min(PAGE, revision - after) });
    yield* page;
    if (page.length === 0) return;
    after += page.length;
  }
}

/** Where one record of a page is damaged, those before it are read nevertheless. */
async function pageOf(
  store: DurableStore,
  stream: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly StoredRecord[]> {
  try {
    return await store.read(stream, after, limit);
  } catch (cause) {
    if (!isDamage(cause) || limit === 1) throw cause;
    return store.read(stream, after, 1);
  }
}

/** Whether a stream that was listed has been deleted since: sessions are pruned while others read them. */
export async function isDeleted(store: DurableStore, stream: string): Promise<boolean> {
  const [found] = await store.list({ prefix: stream, limit: 1 });
  return found?.stream !== stream;
}

/** What a store knows of a stream; of a damaged one what its list says, and the damage. */
export async function loadedStream(
  store: DurableStore,
  { stream, revision, head }: ListedStream,
): Promise<{ readonly loaded: LoadedStream; readonly damage: Error | null }> {
  try {
    return { loaded: await store.load(stream), damage: null };
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    return { loaded: { revision, head, snapshot: null, records: [], now: null }, damage: cause };
  }
}

/** Whether a store refuses to hand out what is not what was written. */
export function isDamage(cause: unknown): cause is Error {
  return cause instanceof Error && "code" in cause && cause.code === "store_damaged";
}
