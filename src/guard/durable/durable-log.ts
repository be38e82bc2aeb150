import { contentHash } from "../../base/canonical-json.js";
import { isShortName } from "../../base/invariant.js";
import type { DurableStore, LoadedStream, Snapshot, StoredRecord } from "../durable-store.js";
import type { Program } from "../program/program.js";
import { BadEvent } from "../session/decode-event.js";
import type { SessionEvent } from "../session/event.js";
import type { Session } from "../session/session.js";
import type { LogEntry, LogPage, LogStep, SessionLog } from "../session/session-log.js";
import { answerOf, type Wait } from "../session/store.js";
import { StoreUnavailable } from "../session/store-errors.js";
import { ArtifactChanged } from "./log-errors.js";
import {
  BadRecord,
  contentOf,
  decodeRecord,
  encodeRecord,
  firstPrev,
  RECORD_VERSION,
  type RecordFrame,
} from "./log-record.js";
import type { Note } from "./note.js";
import { opened, type Sealing, sealed } from "./sealing.js";
import { encodeHead } from "./session-head.js";
import { decodeSnapshot, encodeSnapshot } from "./session-snapshot.js";
import type { StoreClock } from "./store-clock.js";
import { sessionStream } from "./streams.js";

/** What the log of a session is made of. */
export interface LogParts {
  readonly store: DurableStore;
  readonly program: Program;
  readonly sessionId: string;
  readonly role: string | null;
  /** Who writes the records. */
  readonly guardId: string;
  readonly clock: StoreClock;
  readonly sealing: Sealing | null;
  /** False for operators: their processes may lack the variables that outputs were compared with. */
  readonly writesSnapshots?: boolean;
}

/** A snapshot is written after this many records, or after more where it is large. */
const SNAPSHOT_RECORDS = 250;
/** One more record for so many characters of the last snapshot: writing snapshots must not cost more than writing records. */
const SNAPSHOT_SHARE = 400;

const READ = "the session could not be read";
const WRITE = "the events could not be recorded";

/** The log of one session in a durable store: a chain of records, each of which continues the one before. */
export class DurableLog implements SessionLog {
  readonly isDurable = true;
  private readonly stream: string;
  private revision = 0;
  /** The hash of the last record that was read or written. */
  private hash: string;
  /** Where the last snapshot was, and how large. */
  private snapshot = { revision: 0, length: 0 };
  /** The append that is being sent: the same texts when it is sent again. */
  private sending: { readonly id: string; readonly writes: Encoded } | null = null;
  /** The appends right behind the known revision that got no answer: one of them may have been recorded, also later. */
  private readonly unanswered = new Set<string>();

  constructor(private readonly parts: LogParts) {
    this.stream = sessionStream(parts.sessionId);
    this.hash = firstPrev(parts.sessionId);
  }

  /** Whether anything was recorded, as far as was read. */
  get isEmpty(): boolean {
    return this.revision === 0;
  }

  /** The same log from here on under another program: what is appended to it carries the artifact of that one. */
  under(program: Program): DurableLog {
    const log = new DurableLog({ ...this.parts, program });
    log.revision = this.revision;
    log.hash = this.hash;
    return log;
  }

  decided<T>(decide: () => T): { readonly made: T; readonly at: number | null } {
    return this.parts.clock.hold(decide);
  }

  async load(from: "known" | "start", wait: Wait): Promise<LogPage> {
    const after = from === "start" ? 0 : this.revision;
    const { store, clock } = this.parts;
    const options = from === "start" || after === 0 ? {} : { after };
    const answer = await answerOf(READ, () => store.load(this.stream, options), wait);
    try {
      const loaded = answer as LoadedStream;
      clock.heard(loaded.now);
      // Also where a snapshot would fit: what this guard was told would be forgotten.
      if (loaded.revision < this.revision) throw new BadRecord("records are missing");
      const own = loaded.snapshot === null ? null : await this.recordedBefore(loaded.snapshot, wait);
      const { base, entries } = await this.page(loaded, from === "start", wait);
      return { base, entries: own === null ? entries : [{ event: null, appendId: own }, ...entries] };
    } catch (cause) {
      throw asFailure(cause);
    }
  }

  async append(step: LogStep, wait: Wait): Promise<boolean> {
    const writes = this.sending?.id === step.id ? this.sending.writes : await this.encoded(step, wait);
    this.sending = { id: step.id, writes };
    this.unanswered.add(step.id);
    const { store, clock } = this.parts;
    const { records, head, snapshot, hash } = writes;
    const write = { stream: this.stream, expectedRevision: this.revision, records, head };
    const answer = await answerOf(
      WRITE,
      () => store.append(step.id, [snapshot === null ? write : { ...write, snapshot }]),
      wait,
    );
    const result: { readonly kind?: unknown; readonly now?: unknown } = Object(answer);
    if (result.kind !== "appended" && result.kind !== "conflict") throw new StoreUnavailable(WRITE);
    clock.heard(result.now);
    this.sending = null;
    this.unanswered.delete(step.id);
    if (result.kind === "conflict") return false;
    this.unanswered.clear();
    this.revision += records.length;
    this.hash = hash;
    if (snapshot !== null) this.snapshot = { revision: this.revision, length: snapshot.length };
    return true;
  }

  watch(listener: () => void): () => void {
    let isEnded = false;
    let stop = () => {
      isEnded = true;
    };
    const watching = async () =>
      this.parts.store.watch(this.stream, ({ revision }) => {
        if (!isEnded && revision > this.revision) listener();
      });
    watching()
      .then((end) => {
        if (isEnded) end();
        else {
          stop = () => {
            isEnded = true;
            end();
          };
        }
      })
      // Without word of changes the session is read from time to time.
      .catch(() => undefined);
    return () => stop();
  }

  private async page(loaded: LoadedStream, isWhole: boolean, wait: Wait): Promise<LogPage> {
    const { snapshot } = loaded;
    const begin =
      snapshot === null
        ? isWhole
          ? { revision: 0, hash: firstPrev(this.parts.sessionId), session: null }
          : this.known()
        : await this.base(snapshot, wait);
    let { revision, hash } = begin;
    const entries: LogEntry[] = [];
    for (const { data, appendId } of loaded.records) {
      const record = decodeRecord(data);
      revision += 1;
      if (record.n !== revision || record.prev !== hash) {
        throw new BadRecord(record.n === 1 ? "it is of another session" : "it does not continue the record before");
      }
      if (record.artifact !== this.parts.program.artifact.hash) throw this.changed(record.artifact);
      const content =
        "sealed" in record.content ? contentOf(await this.opened(record.content.sealed, wait)) : record.content;
      this.checkOpened(content.note);
      entries.push({ event: content.event, appendId });
      hash = record.hash;
    }
    if (revision !== loaded.revision) throw new BadRecord("records are missing");
    if (revision !== this.revision) this.unanswered.clear();
    this.revision = revision;
    this.hash = hash;
    return { base: begin.session, entries };
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
    if (this.revision > 0 && decodeRecord(String(records[0]?.data)).hash !== this.hash) {
      throw new BadRecord("it does not continue the record before");
    }
    const appendId = records[this.revision - from]?.appendId;
    return typeof appendId === "string" && this.unanswered.has(appendId) ? appendId : null;
  }

  private known() {
    return { revision: this.revision, hash: this.hash, session: null };
  }

  private async base({ revision, data }: Snapshot, wait: Wait) {
    const { program, sealing, role, sessionId } = this.parts;
    const snapshot = decodeSnapshot(data);
    if (snapshot.session !== sessionId) throw new BadRecord("the snapshot is of another session");
    if (snapshot.artifact !== program.artifact.hash) throw this.changed(snapshot.artifact);
    if (snapshot.role !== role) throw new ArtifactChanged(roleWord(role), roleWord(snapshot.role));
    const state = sealing === null ? JSON.parse(snapshot.state) : await opened(sealing, snapshot.state, wait);
    this.snapshot = { revision, length: data.length };
    return { revision, hash: snapshot.hash, session: snapshot.decode(program, state) };
  }

  private async opened(text: string, wait: Wait): Promise<object> {
    const { sealing } = this.parts;
    if (sealing === null) throw new BadRecord("it is sealed, and no `open` was given");
    return Object(await opened(sealing, text, wait));
  }

  private changed(found: string): ArtifactChanged {
    return new ArtifactChanged(this.parts.program.artifact.hash, found);
  }

  private checkOpened(note: Note | null): void {
    const { role, sessionId } = this.parts;
    if (note?.opened === undefined) return;
    if (note.opened.session !== sessionId) throw new BadRecord("it is of another session");
    if (note.opened.role !== role) throw new ArtifactChanged(roleWord(role), roleWord(note.opened.role));
  }

  private async encoded({ events, note, at, after, isBase = false }: LogStep, wait: Wait): Promise<Encoded> {
    const { program, role, sessionId: session } = this.parts;
    const contents = contentsOf(events, note);
    const last = this.revision + contents.length;
    const state = isBase || this.isSnapshotDue(last) ? await this.stateText(after, wait) : null;
    const records: string[] = [];
    let { hash } = this;
    for (const [index, content] of contents.entries()) {
      const isLast = index === contents.length - 1;
      const place = { n: this.revision + index + 1, at: at ?? this.parts.clock.now(), prev: hash };
      const encoded = await this.record(place, content, { state: isLast ? state : null, wait });
      records.push(encoded.text);
      hash = encoded.hash;
    }
    const artifact = program.artifact.hash;
    const snapshot =
      state === null ? null : JSON.stringify({ v: RECORD_VERSION, session, hash, artifact, role, state });
    return { records, hash, head: encodeHead({ artifact, role, agent: program.pack.agent ?? "" }, after), snapshot };
  }

  private async record(
    place: Pick<RecordFrame, "n" | "at" | "prev">,
    content: Content,
    { state, wait }: { readonly state: string | null; readonly wait: Wait },
  ) {
    const { guardId, program, sealing } = this.parts;
    const frame = {
      ...{ v: RECORD_VERSION, ...place, guard: guardId, artifact: program.artifact.hash },
      ...(state === null ? {} : { state: contentHash(state) }),
    };
    return encodeRecord(frame, sealing === null ? content : { sealed: await sealed(sealing, content, wait) });
  }

  private isSnapshotDue(last: number): boolean {
    const { revision, length } = this.snapshot;
    if (this.parts.writesSnapshots === false) return false;
    return last - revision >= SNAPSHOT_RECORDS + length / SNAPSHOT_SHARE;
  }

  private async stateText(after: Session, wait: Wait): Promise<string> {
    const { sealing } = this.parts;
    const state = encodeSnapshot(after);
    return sealing === null ? JSON.stringify(state) : sealed(sealing, state, wait);
  }
}

/** The texts of one append, and the hash of its last record. */
interface Encoded {
  readonly records: readonly string[];
  readonly hash: string;
  readonly head: string;
  readonly snapshot: string | null;
}

type Content = { readonly event?: SessionEvent; readonly note?: Note };

/** One record for each event, the note with the last of them. */
function contentsOf(events: readonly SessionEvent[], note: Note | null): readonly Content[] {
  if (events.length === 0) return note === null ? [] : [{ note }];
  return events.map((event, at) => (note !== null && at === events.length - 1 ? { event, note } : { event }));
}

function roleWord(role: string | null): string {
  return role === null ? "no role" : isShortName(role) ? `the role \`${role}\`` : "another role";
}

/**
 * What cannot be read is a failure of the store; that the session belongs to another artifact is none. Only errors that are known
 * not to quote what they found are kept as the cause: errors end up in logs with their causes.
 */
function asFailure(cause: unknown): Error {
  if (cause instanceof ArtifactChanged || cause instanceof StoreUnavailable) return cause;
  // Such an error shows nothing of what is stored, and names for example the version of a record that is not known here.
  const why = cause instanceof BadRecord ? ` (a record or snapshot is refused: ${cause.message})` : "";
  const isOwn = cause instanceof BadRecord || cause instanceof BadEvent;
  return new StoreUnavailable(`${READ}${why}`, isOwn ? { cause } : { thrown: cause });
}
