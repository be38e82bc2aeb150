import type { SessionEvent } from "../../src/guard/session/event.js";
import type { EventPage } from "../../src/guard/session/store.js";
import { memoryStore } from "../../src/stores/memory.js";

/** How a store may fail while one thing is done: for good, or but once or twice. */
const LASTING_FAULTS = ["throws", "throws_at_once", "silent", "lies", "conflicts"] as const;
const PASSING_FAULTS = ["one_conflict", "two_conflicts"] as const;
type LastingFault = (typeof LASTING_FAULTS)[number];
export type StoreFault = LastingFault | (typeof PASSING_FAULTS)[number];

/** What a store answers that keeps no promise; each but a boolean. */
const LIES: readonly unknown[] = [1, "true", {}, [], null, undefined, 0, ""];

const CONFLICTS: ReadonlyMap<StoreFault, number> = new Map([
  ["one_conflict", 1],
  ["two_conflicts", 2],
  ["conflicts", Number.POSITIVE_INFINITY],
]);

/** A store in memory that can be made to fail for a while; what it fails to append it does not keep. */
export class FailingStore {
  private fault: StoreFault | null = null;
  private conflicts = 0;
  private lies = 0;
  private readonly inner = memoryStore();

  break(fault: StoreFault): void {
    this.fault = fault;
    this.conflicts = CONFLICTS.get(fault) ?? 0;
  }

  recover(): void {
    this.fault = null;
    this.conflicts = 0;
  }

  load(sessionId: string, afterRevision: number): Promise<EventPage> {
    return this.trouble() ?? this.inner.load(sessionId, afterRevision);
  }

  append(sessionId: string, expectedRevision: number, events: readonly SessionEvent[]): Promise<unknown> {
    const trouble = this.trouble();
    if (trouble !== null) return trouble;
    if (this.conflicts > 0) {
      this.conflicts -= 1;
      return Promise.resolve(false);
    }
    if (this.fault === "lies") {
      this.lies += 1;
      return Promise.resolve(LIES[this.lies % LIES.length]);
    }
    return this.inner.append(sessionId, expectedRevision, events);
  }

  /** What becomes of loading and appending alike; null where the store works. */
  private trouble(): Promise<never> | null {
    if (this.fault === "throws_at_once") throw new Error("the store is out of order");
    if (this.fault === "throws") return Promise.reject(new Error("the store is out of order"));
    return this.fault === "silent" ? new Promise<never>(() => {}) : null;
  }
}

/** Whether a store that fails so works again at the third try. */
export function isPassing(fault: StoreFault): boolean {
  return fault === "one_conflict" || fault === "two_conflicts";
}
