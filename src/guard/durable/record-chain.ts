import { contentHash } from "../../base/canonical-json.js";
import type { LoadedStream, Snapshot, StoredRecord } from "../durable-store.js";
import { BadEvent } from "../session/decode-event.js";
import { answerOf, type Wait } from "../session/store.js";
import { StoreUnavailable } from "../session/store-errors.js";
import { ArtifactChanged } from "./log-errors.js";
import {
  BadRecord,
  contentBy,
  decodeRecordBy,
  type EncodedRecord,
  encodeRecord,
  RECORD_VERSION,
  type RecordFrame,
} from "./log-record.js";
import type { Note } from "./note.js";
import { opened, sealed } from "./sealing.js";
import type { ChainEntry, ChainPage, ChainParts, ChainStep, EncodedStep, StreamForm } from "./stream-form.js";
import { watchStream } from "./watch-stream.js";

/** A snapshot is written after this many records, or after more where it is large. */
const SNAPSHOT_RECORDS = 250;
/** One more record for so many characters of the last snapshot: writing snapshots must not cost more than writing records. */
const SNAPSHOT_SHARE = 400;

const READ = "the log could not be read";

/** One stream of records, each of which continues the one before, as far as it was read. */
export class RecordChain<E, S> {
  /** How many records were read or written. */
  revision = 0;
  /** The hash of the last of them. */
  private hash: string;
  /** The append that wrote it; null where only a snapshot speaks of it, and where it may not be there any more. */
  private last: string | null = null;
  /** How many records were known when an append was refused. */
  private refusedAt: number | null = null;
  /** Where the last snapshot was, and how large. */
  private snapshot = { revision: 0, length: 0 };
  /** The appends right behind the known revision that got no answer: one of them may have been recorded, also later. */
  private readonly unanswered = new Set<string>();

  constructor(
    private readonly parts: ChainParts,
    private readonly form: StreamForm<E, S>,
  ) {
    this.hash = form.first;
  }

  get stream(): string {
    return this.form.stream;
  }

  /** The same place in the stream for records of another form. */
  under<F, T>(form: StreamForm<F, T>): RecordChain<F, T> {
    const chain = new RecordChain(this.parts, form);
    chain.revision = this.revision;
    chain.hash = this.hash;
    chain.last = this.last;
    return chain;
  }

  async load(from: "known" | "start", wait: Wait): Promise<ChainPage<E, S>> {
    const after = from === "start" ? 0 : this.revision;
    const { store, clock } = this.parts;
    const options = after === 0 ? {} : { after };
    const answer = await answerOf(READ, () => store.load(this.stream, options), wait);
    try {
      const loaded = answer as LoadedStream;
      clock.heard(loaded.now);
      // Also where a snapshot would fit: what this reader was told would be forgotten.
      if (loaded.revision < this.revision) throw new BadRecord("records are missing");
      const own = loaded.snapshot === null ? null : await this.recordedBefore(loaded.snapshot, wait);
      const { base, entries } = await this.page(loaded, from === "start", wait);
      return { base, entries: own === null ? entries : [{ event: null, appendId: own }, ...entries] };
    } catch (cause) {
      throw asFailure(cause);
    }
  }

  /** How many records the stream has now; they are not taken. */
  async storedRevision(wait: Wait): Promise<number> {
    const { store } = this.parts;
    const answer = await answerOf(READ, () => store.load(this.stream, { after: this.revision }), wait);
    const { revision }: { readonly revision?: unknown } = Object(answer);
    if (typeof revision !== "number") throw new StoreUnavailable(READ);
    return revision;
  }

  /** A step in the form of the store, to be appended right behind what is known. */
  async encoded({ id, events, note, at, after, isBase = false }: ChainStep<E, S>, wait: Wait): Promise<EncodedStep> {
    this.last ??= await this.lastAppend(wait);
    const contents = contentsOf(events, note);
    const last = this.revision + contents.length;
    const state = isBase || this.isSnapshotDue(last) ? await this.stateText(after, wait) : null;
    const records: string[] = [];
    let { hash } = this;
    let n = this.revision;
    for (const content of contents) {
      n += 1;
      const place = { n, at: at ?? this.parts.clock.now(), prev: hash };
      const made = this.record(place, content, { state: n === last ? state : null, wait });
      // Every call comes here twice: without sealing nothing is awaited.
      const { text, hash: next } = made instanceof Promise ? await made : made;
      records.push(text);
      hash = next;
    }
    const { form } = this;
    const known = { expectedRevision: this.revision, ...(this.last === null ? {} : { expectedLast: this.last }) };
    const write = { stream: form.stream, ...known, records, head: form.head(after) };
    return { id, hash, write: state === null ? write : { ...write, snapshot: form.snapshot(state, hash) } };
  }

  /** An append is under way. */
  sending(appendId: string): void {
    this.unanswered.add(appendId);
  }

  /** It was recorded. */
  appended({ id, write, hash }: EncodedStep): void {
    this.unanswered.clear();
    this.revision += write.records.length;
    this.hash = hash;
    this.last = id;
    if (write.snapshot !== undefined) this.snapshot = { revision: this.revision, length: write.snapshot.length };
  }

  /** It was not, and will not be. The second time with nothing new to read: the last known record may not be there any more. */
  refused(appendId: string): void {
    this.unanswered.delete(appendId);
    if (this.refusedAt === this.revision) this.last = null;
    this.refusedAt = this.revision;
  }

  /** Calls the listener after others have added to it; the function that it returns ends it. */
  watch(listener: () => void): () => void {
    return watchStream(this.parts.store, this.stream, (revision) => {
      if (typeof revision !== "number" || revision > this.revision) listener();
    });
  }

  private async page(loaded: LoadedStream, isWhole: boolean, wait: Wait): Promise<ChainPage<E, S>> {
    const { snapshot } = loaded;
    const begin =
      snapshot === null
        ? isWhole
          ? { revision: 0, hash: this.form.first, state: null }
          : { revision: this.revision, hash: this.hash, state: null }
        : await this.base(snapshot, wait);
    let { revision, hash } = begin;
    const entries: ChainEntry<E>[] = [];
    const { form } = this;
    for (const { data, appendId } of loaded.records) {
      const record = decodeRecordBy(form.read, data);
      revision += 1;
      if (record.n !== revision || record.prev !== hash) {
        throw new BadRecord(
          record.n === 1 ? `it is of another ${form.subject}` : "it does not continue the record before",
        );
      }
      if (record.artifact !== form.artifact) throw new ArtifactChanged(form.artifact, record.artifact);
      const content =
        "sealed" in record.content
          ? contentBy(form.read, await this.opened(record.content.sealed, wait))
          : record.content;
      if (content.note !== null) form.checkNote(content.note);
      entries.push({ event: content.event, appendId });
      hash = record.hash;
    }
    if (revision !== loaded.revision) throw new BadRecord("records are missing");
    if (revision !== this.revision) this.unanswered.clear();
    if (entries.length > 0 || snapshot !== null) this.last = entries.at(-1)?.appendId ?? null;
    this.revision = revision;
    this.hash = hash;
    return { base: begin.state, entries };
  }

  /**
   * A snapshot stands for what follows the last known record, which must still be there. Gives the append without an answer that
   * was recorded right behind it: its records are not among those loaded.
   */
  private async recordedBefore({ revision }: { readonly revision: number }, wait: Wait): Promise<string | null> {
    if (revision <= this.revision || (this.revision === 0 && this.unanswered.size === 0)) return null;
    const { store } = this.parts;
    const from = Math.max(0, this.revision - 1);
    const read = await answerOf(READ, () => store.read(this.stream, from, 2), wait);
    const records: readonly Partial<StoredRecord>[] = Array.isArray(read) ? read : [];
    this.checkLast(records[0]);
    const appendId = records[this.revision - from]?.appendId;
    return typeof appendId === "string" && this.unanswered.has(appendId) ? appendId : null;
  }

  /** The append that wrote the last known record, which must still be there. */
  private async lastAppend(wait: Wait): Promise<string | null> {
    if (this.revision === 0) return null;
    const { store } = this.parts;
    const read = await answerOf(READ, () => store.read(this.stream, this.revision - 1, 1), wait);
    const record: Partial<StoredRecord> | undefined = Array.isArray(read) ? read[0] : undefined;
    try {
      this.checkLast(record);
    } catch (cause) {
      throw asFailure(cause);
    }
    return String(record?.appendId);
  }

  /** The last known record must still be there. */
  private checkLast(record: Partial<StoredRecord> | undefined): void {
    if (this.revision > 0 && decodeRecordBy(this.form.read, String(record?.data)).hash !== this.hash) {
      throw new BadRecord("it does not continue the record before");
    }
  }

  private async base({ revision, data }: Snapshot, wait: Wait) {
    const { form, parts } = this;
    const snapshot = form.base(data);
    if (snapshot.artifact !== form.artifact) throw new ArtifactChanged(form.artifact, snapshot.artifact);
    const { sealing } = parts;
    const state = sealing === null ? JSON.parse(snapshot.state) : await opened(sealing, snapshot.state, wait);
    this.snapshot = { revision, length: data.length };
    return { revision, hash: snapshot.hash, state: snapshot.decode(state) };
  }

  private async opened(text: string, wait: Wait): Promise<object> {
    const { sealing } = this.parts;
    if (sealing === null) throw new BadRecord("it is sealed, and no `open` was given");
    return Object(await opened(sealing, text, wait));
  }

  private record(
    { n, at, prev }: Pick<RecordFrame, "n" | "at" | "prev">,
    content: Content<E>,
    { state, wait }: { readonly state: string | null; readonly wait: Wait },
  ): EncodedRecord | Promise<EncodedRecord> {
    const { guardId: guard, sealing } = this.parts;
    const frame = { v: RECORD_VERSION, n, at, prev, guard, artifact: this.form.artifact };
    const whole = state === null ? frame : { ...frame, state: contentHash(state) };
    if (sealing === null) return encodeRecord(whole, content);
    return sealed(sealing, content, wait).then((text) => encodeRecord(whole, { sealed: text }));
  }

  private isSnapshotDue(last: number): boolean {
    const { revision, length } = this.snapshot;
    if (this.parts.writesSnapshots === false) return false;
    return last - revision >= SNAPSHOT_RECORDS + length / SNAPSHOT_SHARE;
  }

  private async stateText(after: S, wait: Wait): Promise<string> {
    const { sealing } = this.parts;
    const state = this.form.stateJson(after);
    return sealing === null ? JSON.stringify(state) : sealed(sealing, state, wait);
  }
}

type Content<E> = { readonly event?: E; readonly note?: Note };

/** One record for each event, the note with the last of them. */
function contentsOf<E>(events: readonly E[], note: Note | null): readonly Content<E>[] {
  if (events.length === 0) return note === null ? [] : [{ note }];
  return events.map((event, at) => (note !== null && at === events.length - 1 ? { event, note } : { event }));
}

/**
 * What cannot be read is a failure of the store; that the stream belongs to another artifact is none. Only errors that are known
 * not to quote what they found are kept as the cause: errors end up in logs with their causes.
 */
function asFailure(cause: unknown): Error {
  if (cause instanceof ArtifactChanged || cause instanceof StoreUnavailable) return cause;
  // Such an error shows nothing of what is stored, and names for example the version of a record that is not known here.
  const why = cause instanceof BadRecord ? ` (a record or snapshot is refused: ${cause.message})` : "";
  const isOwn = cause instanceof BadRecord || cause instanceof BadEvent;
  return new StoreUnavailable(`${READ}${why}`, isOwn ? { cause } : { thrown: cause });
}
