import { crypto } from "../../base/crypto.js";
import type { Note } from "../durable/note.js";
import type { Program } from "../program/program.js";
import { advance } from "./advance.js";
import { appendInTime } from "./append-in-time.js";
import type { SessionEvent } from "./event.js";
import { copySession, newSession, type Session } from "./session.js";
import type { LogEntry, LogStep, SessionLog } from "./session-log.js";
import type { Wait } from "./store.js";
import { BrokenSession } from "./store-errors.js";
import { type Attempt, followUpsOf, type Pending, type Unanswered } from "./unanswered.js";

/** The events of a decision, its result for the caller, and what else is recorded of it. */
export interface Step<T> {
  readonly events: readonly SessionEvent[];
  readonly result: T;
  readonly note?: Note;
}

export type Decide<T> = (session: Session) => Step<T>;

/** One session in memory and in its log. Its user must let one attempt end before the next begins. */
export class StoredSession {
  private current: Session;
  /** The state after the append that is under way; null until one is. */
  private ahead: Session | null = null;
  /** The log may have further entries, so it is read before the next decision. */
  private isStale = false;
  /** Some events could not be applied: nothing is decided until the session was read again from its start. */
  private isBroken = false;
  /** Appends of this guard without an answer, whose callers were told so, and what must follow if they were recorded. */
  private readonly doubts = new Map<string, readonly Pending[]>();
  /** Told of every append of its own that is found in the log. */
  readonly unanswered = new Set<Pick<Unanswered<unknown>, "recorded">>();
  private pending: readonly Pending[] = [];
  private unrecordedKill: (SessionEvent & { readonly kind: "killed" }) | null = null;
  /** The session has ended by that kill alone: not in the log, as far as it was read. */
  private isKilledAhead = false;

  constructor(
    private readonly program: Program,
    readonly log: SessionLog | null,
  ) {
    this.current = newSession(program);
  }

  get session(): Session {
    return this.current;
  }

  /** Whether calls can be judged against the session. */
  get isSound(): boolean {
    return !this.isBroken;
  }

  /** A kill that is not recorded yet. */
  get pendingKill(): (SessionEvent & { readonly kind: "killed" }) | null {
    return this.unrecordedKill;
  }

  /** The pending kill was recorded in a log that this guard does not follow: here the session stays ended. */
  recordedElsewhere(): void {
    this.unrecordedKill = null;
    this.isKilledAhead = false;
  }

  /** Others have recorded something: it is read before the next decision, and not after one that conflicts with it. */
  outdated(): void {
    this.isStale = true;
  }

  /** Ends the session here, whatever the store does. */
  kill(why: string): void {
    if (this.current.isKilled) return;
    const event = { kind: "killed", why } as const;
    if (this.log === null) advance(this.program, this.current, event);
    else {
      this.unrecordedKill = event;
      this.killAhead(this.current);
    }
  }

  /** Decides without a store: nothing is awaited between the decision and its events. */
  remember<T>(decide: Decide<T>): T {
    if (this.isBroken) throw new BrokenSession();
    const { events, result } = decide(this.current);
    this.apply(events);
    return result;
  }

  /** Decides against the latest events, and records the new ones; null after a conflict. */
  async attempt<T>(decide: Decide<T>, wait: Wait, unanswered: Unanswered<T>): Promise<Attempt<T>> {
    const { log } = this;
    if (log === null) return { result: this.remember(decide) };
    const mustCatchUp = this.isStale || this.isBroken || log.isTimeDoubtful === true;
    if (mustCatchUp) await this.catchUp(wait);
    if (unanswered.result !== null) return unanswered.result;
    if (this.pending.length > 0 && !(await this.recordPending(log, wait))) return this.conflict();
    const { made, at } = log.decided(() => decide(this.current));
    const { events, result, note = null } = made;
    const all = this.withKill(events);
    const isNoted = log.isDurable && note !== null;
    // A decision without events must not be based on an outdated session either.
    if (all.length === 0 && !isNoted) return mustCatchUp || !(await this.catchUp(wait)) ? { result } : this.conflict();
    const step = this.stepOf(log, { events: all, note, at }, unanswered.isSettlement);
    unanswered.sent.set(step.id, { result, followUps: events.flatMap(followUpsOf) });
    if (!(await this.record(log, step, wait))) return this.conflict();
    return { result };
  }

  /** Applies what the log has beyond the known; true if there was anything. */
  async catchUp(wait: Wait): Promise<boolean> {
    const { log } = this;
    if (log === null) return false;
    if (this.isBroken) {
      await this.reload(log, wait);
      await log.catchUpBeside?.(wait, true);
      return true;
    }
    const { base, entries } = await log.load("known", wait);
    if (base !== null) this.replace(base);
    // Before anything else is awaited, which may fail: the log does not give them again.
    this.take(entries);
    const isChanged = base !== null || entries.length > 0;
    const isMoved = log.catchUpBeside !== undefined && (await log.catchUpBeside(wait, isChanged));
    this.isStale = false;
    return isChanged || isMoved;
  }

  /** The caller of a decision is told that it failed: what may be recorded of it all the same is followed up. */
  giveUp<T>({ sent, found }: Unanswered<T>): void {
    for (const [appendId, { followUps }] of sent) {
      if (appendId === found) this.pending = [...this.pending, ...followUps];
      else this.doubts.set(appendId, followUps);
    }
  }

  private conflict(): null {
    this.isStale = true;
    this.ahead = null;
    return null;
  }

  private stepOf(log: SessionLog, made: Pick<LogStep, "events" | "note" | "at">, isSettlement: boolean): LogStep {
    return {
      ...{ id: crypto().randomUUID(), ...made, isSettlement },
      after: log.isDurable ? this.advanced(made.events) : this.current,
    };
  }

  /** Records a step and applies its events; false after a conflict. */
  private async record(log: SessionLog, step: LogStep, wait: Wait): Promise<boolean> {
    // Until the answer arrives in time, it is unknown whether it was recorded.
    this.isStale = true;
    try {
      if (!(await this.sent(log, step, wait))) return false;
    } catch (cause) {
      this.ahead = null;
      throw cause;
    }
    this.applyToCurrent(step.events);
    if (this.unrecordedKill !== null && step.events.includes(this.unrecordedKill)) this.unrecordedKill = null;
    this.isStale = false;
    this.doubts.clear();
    return true;
  }

  /** Sends a step. A method of its own, so that tests can put a broken one in its place. */
  private sent(log: SessionLog, step: LogStep, wait: Wait): Promise<boolean> {
    return appendInTime(log, step, wait);
  }

  /** A kill acts before it is recorded, so it comes before whatever is decided after it. */
  private withKill(events: readonly SessionEvent[]): readonly SessionEvent[] {
    return this.unrecordedKill === null ? events : [this.unrecordedKill, ...events];
  }

  /** What must follow appends that were found is recorded before anything is decided; false after a conflict. */
  private async recordPending(log: SessionLog, wait: Wait): Promise<boolean> {
    const events = this.pending.flatMap((pending) => pending(this.current) ?? []);
    if (events.length > 0) {
      const step = this.stepOf(log, { events: this.withKill(events), note: null }, false);
      if (!(await this.record(log, step, wait))) return false;
    }
    this.pending = [];
    return true;
  }

  /** The state after these events, without touching the one that decisions read. */
  private advanced(events: readonly SessionEvent[]): Session {
    const ahead = this.ahead ?? copySession(this.current);
    this.ahead = null;
    for (const event of events) advance(this.program, ahead, event);
    this.ahead = ahead;
    return ahead;
  }

  private take(entries: readonly LogEntry[]): void {
    this.apply(entries.flatMap(({ event }) => event ?? []));
    if (entries.length === 0) return;
    for (const { appendId } of entries) if (appendId !== null) this.found(appendId);
    // What was not found can no longer be recorded: others were first.
    this.doubts.clear();
  }

  private found(appendId: string): void {
    for (const search of this.unanswered) search.recorded(appendId);
    const followUp = this.doubts.get(appendId) ?? [];
    // Once, however many records the append has: the second time it would not apply any more.
    this.doubts.delete(appendId);
    if (followUp.length > 0) this.pending = [...this.pending, ...followUp];
  }

  private apply(events: readonly SessionEvent[]): void {
    this.applyToCurrent(events);
    if (this.ahead !== null) this.applyTo(this.ahead, events);
  }

  /** What the log has comes before a kill that is not in it: if that ends the session, its reason counts. */
  private applyToCurrent(events: readonly SessionEvent[]): void {
    const { current } = this;
    if (this.isKilledAhead) {
      current.isKilled = false;
      current.killedWhy = "";
      current.killedBy = null;
    }
    try {
      this.applyTo(current, events);
    } finally {
      this.killAhead(current);
    }
  }

  /** Lets an unrecorded kill act on a state of the log. */
  private killAhead(session: Session): void {
    this.isKilledAhead = this.unrecordedKill !== null && !session.isKilled;
    if (this.unrecordedKill !== null) advance(this.program, session, this.unrecordedKill);
  }

  private applyTo(session: Session, events: readonly SessionEvent[]): void {
    try {
      for (const event of events) advance(this.program, session, event);
    } catch (cause) {
      // Some of them were applied: they must neither count without the others nor be applied again.
      this.isBroken = true;
      throw new BrokenSession(cause);
    }
  }

  private replace(session: Session): void {
    this.killAhead(session);
    this.current = session;
    this.ahead = null;
  }

  private async reload(log: SessionLog, wait: Wait): Promise<void> {
    const { base, entries } = await log.load("start", wait);
    const session = base ?? newSession(this.program);
    try {
      for (const { event } of entries) if (event !== null) advance(this.program, session, event);
    } catch (cause) {
      throw new BrokenSession(cause);
    }
    this.replace(session);
    for (const { appendId } of entries) if (appendId !== null) this.found(appendId);
    this.isStale = false;
    this.isBroken = false;
  }
}
