import type { SessionEvent } from "./event.js";

/** What a store knows of a session after a revision. */
export interface Loaded {
  readonly revision: number;
  readonly events: readonly SessionEvent[];
}

/**
 * Where the events of sessions are kept. `append` must be atomic: it adds the events only while the session is at the
 * expected revision, and answers false otherwise. A revision is the number of events before it.
 */
export interface SessionStore {
  load(sessionId: string, afterRevision: number): Promise<Loaded>;
  append(sessionId: string, expectedRevision: number, events: readonly SessionEvent[]): Promise<boolean>;
}
