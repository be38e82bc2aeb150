import type { SessionEvent } from "../../src/guard/session/event.js";
import type { EventPage, SessionStore } from "../../src/guard/session/store.js";
import { MemoryStore } from "./guard-store.js";

type Append = () => Promise<boolean>;
type Load = () => Promise<EventPage>;

/** What becomes of the next calls; `real` does what a sound store does. */
export interface Faults {
  append?: (real: Append, events: readonly SessionEvent[]) => Promise<boolean>;
  load?: (real: Load) => Promise<EventPage>;
}

/** A working store that can be made to misbehave. */
export class FaultyStore implements SessionStore {
  readonly sound = new MemoryStore();
  faults: Faults = {};
  /** How often it was asked to append. */
  appends = 0;

  load(sessionId: string, afterRevision: number): Promise<EventPage> {
    const real = () => this.sound.load(sessionId, afterRevision);
    return this.faults.load === undefined ? real() : this.faults.load(real);
  }

  append(sessionId: string, expectedRevision: number, events: readonly SessionEvent[]): Promise<boolean> {
    this.appends += 1;
    const real = () => this.sound.append(sessionId, expectedRevision, events);
    return this.faults.append === undefined ? real() : this.faults.append(real, events);
  }
}

/** Never answers. */
export function silence<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** A value of any type, as a custom store might return it. */
export function foreign(json: string) {
  return JSON.parse(json);
}

/** A promise, and what ends it. */
export function later<T>() {
  let finish: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    finish = resolve;
  });
  return { promise, finish };
}
