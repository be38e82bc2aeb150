import { onTestFinished } from "vitest";
import { canonicalJson, contentHash } from "../../src/base/canonical-json.js";
import type { DurableStore, StoredRecord, StreamWrite } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";

/** A stream as somebody with access to the store can write it. */
export interface StreamContent {
  readonly records: readonly Pick<StoredRecord, "appendId" | "data">[];
  readonly head: string;
  readonly snapshot: { readonly revision: number; readonly data: string } | null;
}

/** What becomes of a stream; null leaves it out. */
export type Rewrite = (stream: string, content: StreamContent) => StreamContent | null;

/** All streams of a store. */
export async function contentsOf(store: DurableStore): Promise<ReadonlyMap<string, StreamContent>> {
  const contents = new Map<string, StreamContent>();
  for (const { stream } of await store.list({ limit: 10_000 })) {
    const { head, snapshot } = await store.load(stream);
    const records = await store.read(stream, 0, 10_000);
    contents.set(stream, { records, head: head ?? "", snapshot });
  }
  return contents;
}

/** The appends that lead to such a stream; a snapshot comes with the record that it is for. */
function writesOf(
  stream: string,
  { records, head, snapshot }: StreamContent,
): readonly (StreamWrite & { id: string })[] {
  const writes: (StreamWrite & { id: string; records: string[] })[] = [];
  records.forEach(({ appendId, data }, index) => {
    const last = writes.at(-1);
    const isBase = snapshot !== null && snapshot.revision === index;
    if (last?.id === appendId && !isBase) last.records.push(data);
    else writes.push({ id: appendId, stream, expectedRevision: index, records: [data], head });
  });
  return writes.map((write) => {
    const isSnapshot = snapshot !== null && write.expectedRevision + write.records.length === snapshot.revision;
    return isSnapshot ? { ...write, snapshot: snapshot.data } : write;
  });
}

/** A store, in memory unless another is given, with what somebody made of the content of one. */
export async function rewritten(store: DurableStore, rewrite: Rewrite, given?: DurableStore): Promise<DurableStore> {
  const copy = given ?? (await openStore("memory:"));
  if (given === undefined) onTestFinished(() => copy.close());
  for (const [stream, content] of await contentsOf(store)) {
    const changed = rewrite(stream, content);
    if (changed === null) continue;
    for (const { id, ...write } of writesOf(stream, changed)) await copy.append(id, [write]);
  }
  return copy;
}

/** Changes the records of one stream. */
export function inStream(name: string, change: (content: StreamContent) => StreamContent): Rewrite {
  return (stream, content) => (stream === name ? change(content) : content);
}

/** A record with other content, and the hash that fits it. */
export function rehashed(body: object): string {
  const { hash: _hash, ...rest } = { hash: "", ...body };
  return canonicalJson({ ...rest, hash: contentHash(canonicalJson(rest)) });
}

/** Numbers and links records anew, as somebody would who rewrites a log; a snapshot is made to fit too. */
export function relinked({ records, head, snapshot }: StreamContent): StreamContent {
  // What the first record continues is what it was.
  let { prev } = JSON.parse(records[0]?.data ?? "{}");
  let fitting = snapshot;
  const linked = records.map(({ appendId, data }, index) => {
    const text = rehashed({ ...JSON.parse(data), n: index + 1, prev });
    prev = JSON.parse(text).hash;
    if (snapshot?.revision === index + 1) {
      fitting = { revision: index + 1, data: JSON.stringify({ ...JSON.parse(snapshot.data), hash: prev }) };
    }
    return { appendId, data: text };
  });
  return { records: linked, head, snapshot: fitting };
}
