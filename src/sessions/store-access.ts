import type { Artifact } from "../artifact/compiled.js";
import { decodeArtifact } from "../artifact/decode.js";
import { contentOf, decodeRecord, type LogRecord, type RecordContent } from "../guard/durable/log-record.js";
import { opened, type Sealing, sealingOf } from "../guard/durable/sealing.js";
import { decodeHead, type SessionHead } from "../guard/durable/session-head.js";
import { StoreClock } from "../guard/durable/store-clock.js";
import {
  artifactStream,
  isStorable,
  SESSION_PREFIX,
  sessionOf,
  sessionStream,
  WORKFLOW_PREFIX,
} from "../guard/durable/streams.js";
import type { DurableStore, ListedStream, LoadedStream, StoredRecord } from "../guard/durable-store.js";
import { checkedClock } from "../guard/guard-options.js";
import { ledgerTimes } from "../guard/ledger-times.js";
import type { GuardOptions } from "../guard/public.js";
import { environmentOf } from "../guard/resolved-options.js";
import { answerOf } from "../guard/session/store.js";
import { StoreUnavailable } from "../guard/session/store-errors.js";
import { SessionError } from "./session-error.js";
import type { Skipped } from "./skipped.js";

/** How operators use a store: how long it may take, what time it is where it has no clock, and the variables of rules. */
export type OperatorOptions = Pick<GuardOptions, "storeTimeoutMs" | "clock" | "env">;

/** A session as lists show it. */
export interface ListedSession {
  readonly id: string;
  readonly head: SessionHead;
  readonly updated: number;
}

/** A record with its content; null if that is sealed and cannot be opened here. */
export interface ReadRecord {
  readonly record: LogRecord;
  readonly content: RecordContent | null;
}

const PAGE = 100;
const NO_HEAD = "its head is none of a session";

/** Reads sessions of a store, each answer within a time limit. Artifacts are read once. */
export class StoreAccess {
  readonly clock: StoreClock;
  readonly sealing: Sealing | null;
  readonly times: ReturnType<typeof ledgerTimes>;
  readonly env: Readonly<Record<string, string | undefined>>;
  private readonly artifacts = new Map<string, Artifact>();
  private isTimeKnown = false;

  constructor(
    readonly store: DurableStore,
    options: OperatorOptions,
  ) {
    this.clock = new StoreClock(checkedClock(options.clock));
    this.sealing = sealingOf(store);
    this.times = ledgerTimes(options);
    this.env = environmentOf(options);
  }

  /** The time that decides deadlines. */
  async now(): Promise<number> {
    if (!this.isTimeKnown) {
      // Every answer carries the time; this one is the smallest.
      const { now } = await this.load(artifactStream("none"));
      this.clock.heard(now);
      this.isTimeKnown = true;
    }
    return this.clock.now();
  }

  /** Whether a session waits for an approval that can still be given. */
  async isWaiting({ pendingApproval, deadline, killed }: SessionHead): Promise<boolean> {
    return pendingApproval !== null && deadline !== null && !killed && (await this.now()) < deadline;
  }

  /** The head of one session. */
  async head(sessionId: string): Promise<SessionHead> {
    const stream = sessionStream(sessionId);
    if (!isStorable(sessionId)) throw unknownSession(sessionId);
    const found = await this.stream(stream);
    if (found === null) throw unknownSession(sessionId);
    const head = decodeHead(found.head);
    if (head === null) throw unreadable(sessionId, NO_HEAD);
    return head;
  }

  /** All sessions in the order of their names, read page by page; those without a readable head are added to `skipped`. */
  async *sessions(skipped: Skipped): AsyncGenerator<ListedSession> {
    for (let after: string | null = null; ; ) {
      const start: { after?: string } = after === null ? {} : { after };
      const page = await this.list({ prefix: SESSION_PREFIX, limit: PAGE, ...start });
      for (const { stream, head: text, updated } of page) {
        const [id, head] = [sessionOf(stream), decodeHead(text)];
        if (head === null) skipped.add(id, unreadable(id, NO_HEAD));
        else yield { id, head, updated };
      }
      after = page.at(-1)?.stream ?? null;
      if (after === null || page.length < PAGE) return;
    }
  }

  /** The streams of all workflows in the order of their names, read page by page. */
  async *workflows(): AsyncGenerator<ListedStream> {
    for (let after: string | null = null; ; ) {
      const start: { after?: string } = after === null ? {} : { after };
      const page = await this.list({ prefix: WORKFLOW_PREFIX, limit: PAGE, ...start });
      yield* page;
      after = page.at(-1)?.stream ?? null;
      if (after === null || page.length < PAGE) return;
    }
  }

  /** One stream as lists show it; null if there is none. */
  async stream(stream: string): Promise<ListedStream | null> {
    const [found] = await this.list({ prefix: stream, limit: 1 });
    return found?.stream === stream ? found : null;
  }

  /** Records of a stream behind a revision. */
  records(stream: string, after: number, most: number): Promise<readonly StoredRecord[]> {
    return this.answer("the records could not be read", () => this.store.read(stream, after, most));
  }

  /** The artifact that a session is judged by. */
  async artifact(hash: string): Promise<Artifact> {
    const known = this.artifacts.get(hash);
    if (known !== undefined) return known;
    const { records } = await this.load(artifactStream(hash));
    const decoded = decodeArtifact(records[0]?.data ?? "");
    if (!decoded.ok || decoded.artifact.hash !== hash) {
      const why =
        records.length === 0 ? "it is not in the store" : decoded.ok ? "it has another hash" : decoded.message;
      throw new SessionError("session_unreadable", `the artifact ${hash} cannot be used: ${why}`);
    }
    this.artifacts.set(hash, decoded.artifact);
    return decoded.artifact;
  }

  /** The last records of a session. */
  async lastRecords(sessionId: string, most: number): Promise<readonly ReadRecord[]> {
    const stream = sessionStream(sessionId);
    const revision = (await this.stream(stream))?.revision ?? 0;
    const records = await this.records(stream, Math.max(0, revision - most), most);
    try {
      return await Promise.all(records.map(({ data }) => this.opened(decodeRecord(data))));
    } catch (cause) {
      throw new StoreUnavailable("the records could not be read", { cause });
    }
  }

  private async opened(record: LogRecord): Promise<ReadRecord> {
    if (!("sealed" in record.content)) return { record, content: record.content };
    if (this.sealing === null) return { record, content: null };
    const wait = { ms: this.times.storeTimeoutMs, isIdle: false };
    return { record, content: contentOf(Object(await opened(this.sealing, record.content.sealed, wait))) };
  }

  private load(stream: string): Promise<LoadedStream> {
    return this.answer("the store could not be read", () => this.store.load(stream));
  }

  private list(options: { prefix: string; limit: number; after?: string }): Promise<readonly ListedStream[]> {
    return this.answer("the sessions could not be listed", () => this.store.list(options));
  }

  private async answer<T>(what: string, call: () => Promise<T>): Promise<T> {
    // What a store of the port answers; the checks of its content follow where it is read.
    return (await answerOf(what, call, { ms: this.times.storeTimeoutMs, isIdle: false })) as T;
  }
}

function unknownSession(sessionId: string): SessionError {
  return new SessionError("unknown_session", `the store has no session \`${sessionId}\``);
}

/** The session is there, but cannot be used. */
export function unreadable(sessionId: string, why: string): SessionError {
  return new SessionError("session_unreadable", `the session \`${sessionId}\` cannot be read: ${why}`);
}
