import { advance } from "./advance.js";
import type { SessionEvent } from "./event.js";
import type { Program } from "./program.js";
import { newSession, type Session } from "./session.js";
import type { SessionStore } from "./store.js";

/** What a decision wants to happen, and what it tells its caller. */
export interface Step<T> {
  readonly events: readonly SessionEvent[];
  readonly result: T;
}

/** How often a decision is made anew when another process got in first. */
const MOST_ATTEMPTS = 3;

/** One session and the store behind it: decisions are made one after the other, each against the latest events. */
export class Ledger {
  readonly session: Session;
  private revision = 0;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly program: Program,
    private readonly sessionId: string,
    private readonly store: SessionStore | null,
  ) {
    this.session = newSession(program);
  }

  /** Takes in what the store knows beyond what is here; true when there was something new. */
  async catchUp(): Promise<boolean> {
    if (this.store === null) return false;
    const { revision, events } = await this.store.load(this.sessionId, this.revision);
    for (const event of events) advance(this.program, this.session, event);
    this.revision = revision;
    return events.length > 0;
  }

  /** Runs a decision when it is its turn, and makes its events happen, in the store first. */
  transact<T>(decide: (session: Session) => Step<T>): Promise<T> {
    const result = this.turn.then(() => this.attempt(decide));
    // The next one waits for this one, however it ended.
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async attempt<T>(decide: (session: Session) => Step<T>): Promise<T> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const { events, result } = decide(this.session);
      if (await this.record(events)) return result;
      await this.catchUp();
    }
    throw new Error(`the session was changed by others ${MOST_ATTEMPTS} times in a row`);
  }

  private async record(events: readonly SessionEvent[]): Promise<boolean> {
    if (this.store !== null) {
      // An answer that changes nothing must not rest on what is out of date.
      if (events.length === 0) return !(await this.catchUp());
      if (!(await this.store.append(this.sessionId, this.revision, events))) return false;
    }
    for (const event of events) advance(this.program, this.session, event);
    this.revision += events.length;
    return true;
  }
}
