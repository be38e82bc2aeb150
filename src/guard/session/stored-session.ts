import { canonicalJson } from "../../base/canonical-json.js";
import type { Program } from "../program/program.js";
import { advance } from "./advance.js";
import { decodeEvent, decodePage } from "./decode-event.js";
import type { SessionEvent } from "./event.js";
import { newSession, type Session } from "./session.js";
import { answerOf, type EventPage, type SessionStore, type Wait } from "./store.js";
import { BrokenSession, StoreUnavailable } from "./store-errors.js";

/** What a decision wants to happen, and what it tells its caller. */
export interface Step<T> {
  readonly events: readonly SessionEvent[];
  readonly result: T;
}

export type Decide<T> = (session: Session) => Step<T>;

/** What a decision told, once it is recorded; null where others got in first. */
export type Attempt<T> = { readonly result: T } | null;

/** What was sent to the store and not answered: it may turn out to have been recorded. */
export class Unanswered<T> {
  private readonly results = new Map<string, T>();
  found: Attempt<T> = null;

  remember(event: SessionEvent, result: T): void {
    this.results.set(canonicalJson(event), result);
  }

  look(event: SessionEvent): void {
    if (this.results.size === 0) return;
    const text = canonicalJson(event);
    for (const [sent, result] of this.results) if (sent === text) this.found = { result };
  }
}

/** One session in memory and in its store. Whoever uses it sees to it that one attempt ends before the next begins. */
export class StoredSession {
  private current: Session;
  private revision = 0;
  /** The store may know more than is known here, so it is asked before anything is decided. */
  private isStale = false;
  /** Some events could not be taken in: nothing is decided until the session was read anew from its first event. */
  private isBroken = false;
  /** What is looked for among the events that the store gives. */
  readonly unanswered = new Set<Pick<Unanswered<unknown>, "look">>();
  /** A kill that has happened here but is not recorded yet. */
  owedKill: (SessionEvent & { readonly kind: "killed" }) | null = null;

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

  /** Whether the session can be judged by as it stands. */
  get isSound(): boolean {
    return !this.isBroken;
  }

  /** Ends the session here, whatever the store does. */
  kill(why: string): void {
    if (this.current.isKilled) return;
    const event = { kind: "killed", why } as const;
    advance(this.program, this.current, event);
    if (this.store !== null) this.owedKill = event;
  }

  /** Decides without a store: nothing is awaited between deciding and remembering. */
  remember<T>(decide: Decide<T>): T {
    if (this.isBroken) throw new BrokenSession();
    const { events, result } = decide(this.current);
    this.apply(events);
    return result;
  }

  /** Decides against the latest events, and records what that makes happen; null where others got in first. */
  async attempt<T>(decide: Decide<T>, wait: Wait, unanswered: Unanswered<T> | null): Promise<Attempt<T>> {
    if (this.store === null) return { result: this.remember(decide) };
    const isFresh = this.isStale || this.isBroken;
    if (isFresh) await this.catchUp(wait);
    if (unanswered !== null && unanswered.found !== null) return unanswered.found;
    const { events, result } = decide(this.current);
    const { owedKill } = this;
    const all = owedKill === null ? events : [owedKill, ...events];
    // An answer that changes nothing must not rest on what is out of date.
    if (all.length === 0) return isFresh || !(await this.catchUp(wait)) ? { result } : this.beaten();
    try {
      if (!(await this.append(this.store, all, wait))) return this.beaten();
    } catch (cause) {
      for (const event of events) unanswered?.remember(event, result);
      throw cause;
    }
    this.apply(all);
    this.revision += all.length;
    this.isStale = false;
    if (this.owedKill === owedKill) this.owedKill = null;
    return { result };
  }

  /** Takes in what the store knows beyond what is here; true when there was something new. */
  async catchUp(wait: Wait): Promise<boolean> {
    if (this.store === null) return false;
    if (this.isBroken) {
      await this.readAnew(this.store, wait);
      return true;
    }
    const { revision, events } = await this.load(this.store, this.revision, wait);
    this.apply(events);
    this.revision = revision;
    this.isStale = false;
    return events.length > 0;
  }

  private beaten(): null {
    this.isStale = true;
    return null;
  }

  private async append(store: SessionStore, events: readonly SessionEvent[], wait: Wait): Promise<boolean> {
    // The store gets copies: what it does to them is not what the session remembers.
    const copies = events.map(decodeEvent);
    // Until the answer is there nobody knows whether they were added, and one that comes too late tells nobody.
    this.isStale = true;
    const what = "the events could not be recorded";
    const answer = await answerOf(what, () => store.append(this.sessionId, this.revision, copies), wait);
    if (answer !== true && answer !== false) throw new StoreUnavailable(what);
    return answer;
  }

  private async load(store: SessionStore, after: number, wait: Wait): Promise<EventPage> {
    const what = "the events could not be read";
    const answer = await answerOf(what, () => store.load(this.sessionId, after), wait);
    let loaded: EventPage;
    try {
      // All of them before any is applied.
      loaded = decodePage(answer, after);
    } catch (cause) {
      throw new StoreUnavailable(what, { cause });
    }
    for (const event of loaded.events) for (const search of this.unanswered) search.look(event);
    return loaded;
  }

  private apply(events: readonly SessionEvent[]): void {
    try {
      for (const event of events) advance(this.program, this.current, event);
    } catch (cause) {
      // Some of them were taken in: they must neither stand alone nor be taken in again.
      this.isBroken = true;
      throw new BrokenSession(cause);
    }
  }

  private async readAnew(store: SessionStore, wait: Wait): Promise<void> {
    const { revision, events } = await this.load(store, 0, wait);
    const session = newSession(this.program);
    try {
      for (const event of events) advance(this.program, session, event);
      if (this.owedKill !== null) advance(this.program, session, this.owedKill);
    } catch (cause) {
      throw new BrokenSession(cause);
    }
    this.current = session;
    this.revision = revision;
    this.isStale = false;
    this.isBroken = false;
  }
}
