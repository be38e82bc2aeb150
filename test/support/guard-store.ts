import type { SessionEvent } from "../../src/guard/session/event.js";
import type { EventPage, SessionStore } from "../../src/guard/session/store.js";

/** Where a store loses time: before it looks, and before it answers. */
export type Pause = () => Promise<unknown>;

/** Keeps events in memory as the text they would be elsewhere, and answers as late as a test wants. */
export class MemoryStore implements SessionStore {
  private readonly sessions = new Map<string, string[]>();
  /** How often somebody else was first. */
  conflicts = 0;

  constructor(private readonly pause: Pause = async () => {}) {}

  async load(sessionId: string, afterRevision: number): Promise<EventPage> {
    await this.pause();
    const all = this.sessions.get(sessionId) ?? [];
    const loaded = { revision: all.length, events: all.slice(afterRevision).map((text) => JSON.parse(text)) };
    await this.pause();
    return loaded;
  }

  async append(sessionId: string, expectedRevision: number, events: readonly SessionEvent[]): Promise<boolean> {
    await this.pause();
    const all = this.sessions.get(sessionId) ?? [];
    const isExpected = all.length === expectedRevision;
    if (isExpected) this.sessions.set(sessionId, [...all, ...events.map((event) => JSON.stringify(event))]);
    else this.conflicts += 1;
    await this.pause();
    return isExpected;
  }

  /** Everything that happened to a session, oldest first. */
  log(sessionId: string): readonly SessionEvent[] {
    return (this.sessions.get(sessionId) ?? []).map((text) => JSON.parse(text));
  }
}

/** A store that fails while a test wants it: before anything is written, or after it, so that only the answer is lost. */
export class FailingStore implements SessionStore {
  fails: "never" | "before writing" | "after writing" = "never";

  constructor(
    private readonly store: MemoryStore,
    private readonly error: () => Error = () => new Error("the store is down"),
  ) {}

  load(sessionId: string, afterRevision: number): Promise<EventPage> {
    return this.guarded(() => this.store.load(sessionId, afterRevision));
  }

  append(sessionId: string, expectedRevision: number, events: readonly SessionEvent[]): Promise<boolean> {
    return this.guarded(() => this.store.append(sessionId, expectedRevision, events));
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    if (this.fails === "before writing") throw this.error();
    const result = await work();
    if (this.fails === "after writing") throw this.error();
    return result;
  }
}
