import { canonicalJson } from "../../base/canonical-json.js";
import type { Program } from "../program/program.js";
import { advance } from "./advance.js";
import { decodeEvent, decodePage } from "./decode-event.js";
import type { SessionEvent } from "./event.js";
import { newSession, type Session } from "./session.js";
import { answerOf, type EventPage, type SessionStore, type Wait } from "./store.js";
import { BrokenSession, StoreUnavailable } from "./store-errors.js";

/** The events of a decision, and its result for the caller. */
export interface Step<T> {
  readonly events: readonly SessionEvent[];
  readonly result: T;
}

export type Decide<T> = (session: Session) => Step<T>;

/** The result of a decision, once it is recorded; null after a conflict. */
export type Attempt<T> = { readonly result: T } | null;

/** Events that were sent to the store without an answer: they may have been recorded. */
export class Unanswered<T> {
  private readonly results = new Map<string, T>();
  found: Attempt<T> = null;

  remember(event: SessionEvent, result: T): void {
    this.results.set(canonicalJson(event), result);
  }

  compare(event: SessionEvent): void {
    if (this.results.size === 0) return;
    const text = canonicalJson(event);
    for (const [sent, result] of this.results) if (sent === text) this.found = { result };
  }
}

/** One session in memory and in its store. Its user must let one attempt end before the next begins. */
export class StoredSession {
  private current: Session;
  private revision = 0;
  /** The store may have further events, so it is read before the next decision. */
  private isStale = false;
  /** Some events could not be applied: nothing is decided until the session was read again from its first event. */
  private isBroken = false;
  /** Looked for among the events that the store returns. */
  readonly unanswered = new Set<Pick<Unanswered<unknown>, "compare">>();
  /** A kill that is not recorded yet. */
  pendingKill: (SessionEvent & { readonly kind: "killed" }) | null = null;

  constructor(
    private readonly program: Program,
    private readonly sessionId: string,
    readonly store: SessionStore | null,
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

  /** Ends the session here, whatever the store does. */
  kill(why: string): void {
    if (this.current.isKilled) return;
    const event = { kind: "killed", why } as const;
    advance(this.program, this.current, event);
    if (this.store !== null) this.pendingKill = event;
  }

  /** Decides without a store: nothing is awaited between the decision and its events. */
  remember<T>(decide: Decide<T>): T {
    if (this.isBroken) throw new BrokenSession();
    const { events, result } = decide(this.current);
    this.apply(events);
    return result;
  }

  /** Decides against the latest events, and records the new ones; null after a conflict. */
  async attempt<T>(decide: Decide<T>, wait: Wait, unanswered: Unanswered<T> | null): Promise<Attempt<T>> {
    if (this.store === null) return { result: this.remember(decide) };
    const mustCatchUp = this.isStale || this.isBroken;
    if (mustCatchUp) await this.catchUp(wait);
    if (unanswered !== null && unanswered.found !== null) return unanswered.found;
    const { events, result } = decide(this.current);
    const { pendingKill } = this;
    const all = pendingKill === null ? events : [pendingKill, ...events];
    // A decision without events must not be based on an outdated session either.
    if (all.length === 0) return mustCatchUp || !(await this.catchUp(wait)) ? { result } : this.conflict();
    try {
      if (!(await this.append(this.store, all, wait))) return this.conflict();
    } catch (cause) {
      for (const event of events) unanswered?.remember(event, result);
      throw cause;
    }
    this.apply(all);
    this.revision += all.length;
    this.isStale = false;
    if (this.pendingKill === pendingKill) this.pendingKill = null;
    return { result };
  }

  /** Applies the events that the store has beyond the known ones; true if there were any. */
  async catchUp(wait: Wait): Promise<boolean> {
    if (this.store === null) return false;
    if (this.isBroken) {
      await this.reload(this.store, wait);
      return true;
    }
    const { revision, events } = await this.load(this.store, this.revision, wait);
    this.apply(events);
    this.revision = revision;
    this.isStale = false;
    return events.length > 0;
  }

  private conflict(): null {
    this.isStale = true;
    return null;
  }

  private async append(store: SessionStore, events: readonly SessionEvent[], wait: Wait): Promise<boolean> {
    // Copies: the store must not change the events of the session.
    const copies = events.map(decodeEvent);
    // Until the answer arrives in time, it is unknown whether they were added.
    this.isStale = true;
    const what = "the events could not be recorded";
    const answer = await answerOf(what, () => store.append(this.sessionId, this.revision, copies), wait);
    if (answer !== true && answer !== false) throw new StoreUnavailable(what);
    return answer;
  }

  private async load(store: SessionStore, after: number, wait: Wait): Promise<EventPage> {
    const what = "the events could not be read";
    const answer = await answerOf(what, () => store.load(this.sessionId, after), wait);
    let page: EventPage;
    try {
      // All of them before any is applied.
      page = decodePage(answer, after);
    } catch (cause) {
      throw new StoreUnavailable(what, { cause });
    }
    for (const event of page.events) for (const search of this.unanswered) search.compare(event);
    return page;
  }

  private apply(events: readonly SessionEvent[]): void {
    try {
      for (const event of events) advance(this.program, this.current, event);
    } catch (cause) {
      // Some of them were applied: they must neither count without the others nor be applied again.
      this.isBroken = true;
      throw new BrokenSession(cause);
    }
  }

  private async reload(store: SessionStore, wait: Wait): Promise<void> {
    const { revision, events } = await this.load(store, 0, wait);
    const session = newSession(this.program);
    try {
      for (const event of events) advance(this.program, session, event);
      if (this.pendingKill !== null) advance(this.program, session, this.pendingKill);
    } catch (cause) {
      throw new BrokenSession(cause);
    }
    this.current = session;
    this.revision = revision;
    this.isStale = false;
    this.isBroken = false;
  }
}
