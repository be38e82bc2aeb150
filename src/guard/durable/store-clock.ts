import type { Clock } from "../public.js";

/**
 * The time by the clock of the store, where it has one: its time at the last answer, and what passed since by a clock that cannot
 * be set. Otherwise the clock of the guard.
 */
export class StoreClock implements Clock {
  private lag: number | null = null;

  constructor(private readonly own: Clock) {}

  /** The store said what time it is. */
  heard(now: number | null): void {
    if (now !== null) this.lag = now - performance.now();
  }

  now(): number {
    return this.lag === null ? this.own.now() : Math.round(this.lag + performance.now());
  }
}
