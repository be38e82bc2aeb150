import type { DurableStore, StreamWrite } from "../durable-store.js";
import type { Program } from "../program/program.js";
import type { SessionEvent } from "../session/event.js";
import type { Session } from "../session/session.js";
import type { LogPage, LogStep, SessionLog } from "../session/session-log.js";
import { answerOf, type Wait } from "../session/store.js";
import { StoreUnavailable } from "../session/store-errors.js";
import type { AppendEnd, Companion } from "./companion.js";
import { BadRecord } from "./log-record.js";
import { RecordChain } from "./record-chain.js";
import type { Sealing } from "./sealing.js";
import { sessionForm } from "./session-form.js";
import type { StoreClock } from "./store-clock.js";
import type { EncodedStep } from "./stream-form.js";

/** What the log of a session is made of. */
export interface LogParts {
  readonly store: DurableStore;
  readonly program: Program;
  readonly sessionId: string;
  readonly role: string | null;
  /** The workflow that the session is one of; absent without one. */
  readonly workflow?: string | null;
  /** Who writes the records. */
  readonly guardId: string;
  readonly clock: StoreClock;
  readonly sealing: Sealing | null;
  /** False for operators: their processes may lack the variables that outputs were compared with. */
  readonly writesSnapshots?: boolean;
  /** What is written to together with the session; null where it is alone. */
  readonly companion?: Companion | null;
}

const WRITE = "the events could not be recorded";

/** An append that is being sent: the same texts when it is sent again. */
interface Sending {
  readonly id: string;
  readonly own: EncodedStep;
  readonly beside: StreamWrite | null;
}

/** The log of one session in a durable store. */
export class DurableLog implements SessionLog {
  readonly isDurable = true;
  private readonly companion: Companion | null;
  private chain: RecordChain<SessionEvent, Session>;
  private sending: Sending | null = null;
  /** So many records of the companion the session was judged by, as far as was read: it must have them. */
  private judgedAt = 0;

  constructor(private readonly parts: LogParts) {
    this.companion = parts.companion ?? null;
    const form = sessionForm({ workflow: null, ...parts });
    this.chain = new RecordChain(parts, {
      ...form,
      checkNote: (note) => {
        form.checkNote(note);
        this.judgedAt = Math.max(this.judgedAt, note.judgedAt ?? 0);
      },
    });
  }

  get isTimeDoubtful(): boolean {
    return this.parts.clock.mayHaveSlept;
  }

  /** Whether anything was recorded, as far as was read. */
  get isEmpty(): boolean {
    return this.chain.revision === 0;
  }

  /** The same log from here on under another program: what is appended to it carries the artifact of that one. */
  under(program: Program): DurableLog {
    const log = new DurableLog({ ...this.parts, program });
    log.chain = this.chain.under(sessionForm({ workflow: null, ...this.parts, program }));
    return log;
  }

  alone<T>(wait: Wait, attempt: () => Promise<T>): Promise<T> {
    return this.companion === null ? attempt() : this.companion.alone(wait, attempt);
  }

  hasten(): void {
    this.companion?.hasten();
  }

  decided<T>(decide: () => T): { readonly made: T; readonly at: number | null } {
    const { companion } = this;
    return this.parts.clock.hold(companion === null ? decide : () => companion.noticed(decide));
  }

  load(from: "known" | "start", wait: Wait): Promise<LogPage> {
    return this.chain.load(from, wait);
  }

  async catchUpBeside(wait: Wait, isChanged: boolean): Promise<boolean> {
    const { companion } = this;
    if (companion === null) return false;
    // It may have been read in this attempt before the session was.
    const isMoved = await companion.catchUp(wait, isChanged);
    if (companion.revision < this.judgedAt) throw incomplete("records of its workflow are missing");
    await this.isBehind(companion, wait);
    return isMoved;
  }

  async append(step: LogStep, wait: Wait): Promise<boolean> {
    const { companion } = this;
    const before = this.sending?.id === step.id ? this.sending : null;
    if (before === null && companion !== null && (await this.isBehind(companion, wait))) return this.ended("conflict");
    const sending = before ?? (await this.prepared(step, wait));
    this.sending = sending;
    const { own, beside } = sending;
    // Not recorded there, so nothing else shows that the decision was made by the latest state.
    if (companion !== null && beside === null && !(await companion.isCurrent(wait))) return this.ended("conflict");
    this.chain.sending(step.id);
    const { store, clock } = this.parts;
    const writes = beside === null ? [own.write] : [own.write, beside];
    let answer: unknown;
    try {
      answer = await answerOf(WRITE, () => store.append(step.id, writes), wait);
    } catch (cause) {
      companion?.ended("unknown");
      throw cause;
    }
    const result: { readonly kind?: unknown; readonly now?: unknown } = Object(answer);
    const { kind } = result;
    if (kind !== "appended" && kind !== "conflict") {
      companion?.ended("unknown");
      throw new StoreUnavailable(WRITE);
    }
    clock.heard(result.now);
    return this.ended(kind, sending);
  }

  /** A step as it would be appended, to be recorded together with others by somebody else. */
  async encoded(step: LogStep, wait: Wait): Promise<EncodedStep> {
    return this.chain.encoded(step, wait);
  }

  /** Somebody else has recorded it. */
  recorded(encoded: EncodedStep): void {
    this.chain.appended(encoded);
  }

  watch(listener: () => void): () => void {
    const stops = [this.chain.watch(listener)];
    if (this.companion !== null) stops.push(this.companion.watch(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  private async prepared(step: LogStep, wait: Wait): Promise<Sending> {
    const { companion } = this;
    if (companion === null) return { id: step.id, own: await this.chain.encoded(step, wait), beside: null };
    const { note } = step;
    // Before anything else asks the companion.
    const noted = note === null ? step : { ...step, note: companion.noted(note) };
    const own = await this.chain.encoded(noted, wait);
    const { expectedRevision, records } = own.write;
    return { id: step.id, own, beside: await companion.written(step, expectedRevision + records.length, wait) };
  }

  /** Whether the companion knows of records that were not read here. Rejects if they are not there any more. */
  private async isBehind({ sessionRevision }: Companion, wait: Wait): Promise<boolean> {
    const { chain } = this;
    if (chain.revision >= sessionRevision) return false;
    // What the companion says was recorded together with them, so they were there before it was read.
    if ((await chain.storedRevision(wait)) < sessionRevision) throw incomplete("records of the session are missing");
    return true;
  }

  private ended(end: Exclude<AppendEnd, "unknown">, sending?: Sending): boolean {
    this.sending = null;
    this.companion?.ended(end);
    if (sending === undefined) return false;
    if (end === "appended") this.chain.appended(sending.own);
    else this.chain.refused(sending.id);
    return end === "appended";
  }
}

/** Somebody put back one stream without the other: what the session did is not known there. */
function incomplete(what: string): StoreUnavailable {
  const cause = new BadRecord(what);
  return new StoreUnavailable(`the log could not be read (${cause.message})`, { cause });
}
