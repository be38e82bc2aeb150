import type {
  AppendResult,
  DurableStore,
  ListedStream,
  ListOptions,
  LoadedStream,
  Snapshot,
  StoredRecord,
  StreamChange,
  StreamWrite,
} from "../guard/durable-store.js";
import { checkAppend, checkedListOptions, checkLimit, checkRevision, checkStream } from "./check-input.js";
import { prefersSnapshot } from "./prefers-snapshot.js";
import { isRecorded } from "./repeated-append.js";
import { storeClosed } from "./store-error.js";
import { byBytes } from "./text-order.js";
import { Watchers } from "./watchers.js";

interface Stream {
  readonly records: StoredRecord[];
  head: string;
  snapshot: Snapshot | null;
  updated: number;
}

/** Keeps streams in this process. They end with it. */
export class MemoryStore implements DurableStore {
  readonly kind = "memory";
  private readonly streams = new Map<string, Stream>();
  private readonly watchers = new Watchers();
  private isClosed = false;

  constructor(private readonly clock: () => number) {}

  async load(stream: string, { after }: { readonly after?: number } = {}): Promise<LoadedStream> {
    this.demandOpen();
    checkStream(stream);
    if (after !== undefined) checkRevision("the revision to load after", after);
    const known = this.streams.get(stream);
    if (known === undefined) return { revision: 0, head: null, snapshot: null, records: [], now: null };
    const { records, head } = known;
    const snapshot = prefersSnapshot(known.snapshot, after) ? known.snapshot : null;
    const from = snapshot?.revision ?? after ?? 0;
    return { revision: records.length, head, snapshot, records: records.slice(from), now: null };
  }

  async append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    this.demandOpen();
    checkAppend(appendId, writes);
    if (writes.every((write) => this.isFitting(write))) {
      // Asked first, because it may fail: an append is recorded whole or not at all.
      const updated = this.clock();
      for (const write of writes) this.write(appendId, write, updated);
      for (const { stream } of writes) this.watchers.notify(stream, this.revisionOf(stream));
      return { kind: "appended", now: null };
    }
    const isRepeat = writes.every((write) =>
      isRecorded(appendId, write, this.recordsAfter(write.stream, write.expectedRevision)),
    );
    return { kind: isRepeat ? "appended" : "conflict", now: null };
  }

  async read(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]> {
    this.demandOpen();
    checkStream(stream);
    checkRevision("the revision to read after", after);
    checkLimit(limit);
    return this.recordsAfter(stream, after).slice(0, limit);
  }

  async list(options: ListOptions = {}): Promise<readonly ListedStream[]> {
    this.demandOpen();
    const { prefix, after, limit } = checkedListOptions(options);
    return [...this.streams]
      .filter(([stream]) => stream.startsWith(prefix) && byBytes(stream, after) > 0)
      .sort(([a], [b]) => byBytes(a, b))
      .slice(0, limit)
      .map(([stream, { records, head, updated }]) => ({ stream, revision: records.length, head, updated }));
  }

  async watch(stream: string, listener: (change: StreamChange) => void): Promise<() => void> {
    this.demandOpen();
    checkStream(stream);
    return this.watchers.add(stream, this.revisionOf(stream), listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.watchers.clear();
    this.streams.clear();
  }

  private demandOpen(): void {
    if (this.isClosed) throw storeClosed();
  }

  private revisionOf(stream: string): number {
    return this.streams.get(stream)?.records.length ?? 0;
  }

  private isFitting({ stream, expectedRevision, expectedLast }: StreamWrite): boolean {
    if (this.revisionOf(stream) !== expectedRevision) return false;
    return expectedLast === undefined || this.streams.get(stream)?.records.at(-1)?.appendId === expectedLast;
  }

  private recordsAfter(stream: string, after: number): readonly StoredRecord[] {
    return this.streams.get(stream)?.records.slice(after) ?? [];
  }

  private write(appendId: string, { stream, records, head, snapshot }: StreamWrite, updated: number): void {
    const known = this.streams.get(stream) ?? { records: [], head, snapshot: null, updated };
    this.streams.set(stream, known);
    for (const data of records) {
      // Frozen, because callers get them and must not change what was recorded.
      known.records.push(Object.freeze({ revision: known.records.length + 1, appendId, data }));
    }
    known.head = head;
    known.updated = updated;
    if (snapshot !== undefined) known.snapshot = Object.freeze({ revision: known.records.length, data: snapshot });
  }
}
