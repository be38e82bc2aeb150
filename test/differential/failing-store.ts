import type { SessionEvent } from "../../src/guard/event.js";
import type { Loaded, SessionStore } from "../../src/guard/store.js";
import { memoryStore } from "../../src/stores/memory.js";

/** A store in memory that is out of order while it is told to be. */
export class FailingStore implements SessionStore {
  fails = false;
  private readonly inner = memoryStore();

  async load(sessionId: string, afterRevision: number): Promise<Loaded> {
    if (this.fails) throw new Error("the store is out of order");
    return this.inner.load(sessionId, afterRevision);
  }

  async append(sessionId: string, expectedRevision: number, events: readonly SessionEvent[]): Promise<boolean> {
    if (this.fails) throw new Error("the store is out of order");
    return this.inner.append(sessionId, expectedRevision, events);
  }
}
