import { LONGEST_TIMER_MS } from "../wrap/call-scope.js";
import type { SessionEvent } from "./event.js";
import { StoreUnavailable } from "./store-errors.js";

/** The events of a session after a revision. */
export interface EventPage {
  readonly revision: number;
  readonly events: readonly SessionEvent[];
}

/**
 * Stores the events of sessions. `append` must be atomic: it adds the events only if the session is at the expected revision,
 * and returns false otherwise; only `true` means that they were added. A revision is the number of events before it. An error,
 * another answer, or none within the guard's `storeTimeoutMs`, blocks.
 */
export interface SessionStore {
  load(sessionId: string, afterRevision: number): Promise<EventPage>;
  append(sessionId: string, expectedRevision: number, events: readonly SessionEvent[]): Promise<boolean>;
}

/** How long to wait for a store, and whether the process may end meanwhile. */
export interface Wait {
  readonly ms: number;
  readonly isIdle: boolean;
  /** Whether its turn comes before those of others that wait. */
  readonly isUrgent?: boolean;
}

/** The answer of a store, within a time limit; a later answer is ignored. */
export function answerOf(what: string, call: () => Promise<unknown>, { ms, isIdle }: Wait): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new StoreUnavailable(what)), Math.min(ms, LONGEST_TIMER_MS));
    if (isIdle) timer.unref();
    const answer = async () => call();
    answer().then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (cause: unknown) => {
        clearTimeout(timer);
        reject(new StoreUnavailable(what, { thrown: cause }));
      },
    );
  });
}

/** Waits, without keeping the process alive if that is idle. */
export function pause({ ms, isIdle }: Wait): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (isIdle) timer.unref();
  });
}
