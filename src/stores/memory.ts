import { decodeEvent } from "../guard/session/decode-event.js";
import type { SessionEvent } from "../guard/session/event.js";
import type { SessionStore } from "../guard/session/store.js";

/** Stores the events of sessions in this process, for guards that share a session and for tests. They are lost with the process. */
export function memoryStore(): SessionStore {
  const sessions = new Map<string, SessionEvent[]>();
  const eventsOf = (sessionId: string): SessionEvent[] => {
    const known = sessions.get(sessionId) ?? [];
    sessions.set(sessionId, known);
    return known;
  };
  return {
    async load(sessionId, afterRevision) {
      const events = eventsOf(sessionId);
      return { revision: events.length, events: events.slice(afterRevision).map(decodeEvent) };
    },
    async append(sessionId, expectedRevision, events) {
      const known = eventsOf(sessionId);
      if (known.length !== expectedRevision) return false;
      // Copies in both directions: callers must not change stored events.
      for (const event of events.map(decodeEvent)) known.push(event);
      return true;
    },
  };
}
