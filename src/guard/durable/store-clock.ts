import type { Clock } from "../public.js";

/**
 * The time by the clock of the store, where it has one: its time at the last answer, and what passed since by a clock that cannot
 * be set. Otherwise the clock of the guard.
 */
export class StoreClock implements Clock {
  private lag: number | null = null;
  /** The time of the decision that is being made, once it asked for it; undefined if none is. */
  private moment: number | null | undefined;

  constructor(private readonly own: Clock) {}

  /** The store said what time it is. Anything but a number is not believed: no deadline would ever pass. */
  heard(now: unknown): void {
    if (typeof now === "number" && Number.isFinite(now)) this.lag = now - performance.now();
  }

  now(): number {
    if (this.moment === undefined) return this.time();
    this.moment ??= this.time();
    return this.moment;
  }

  /** Makes a decision, which takes no time: replaying it at `at` gives the same. That is null if it did not ask. */
  hold<T>(decide: () => T): { readonly made: T; readonly at: number | null } {
    this.moment = null;
    try {
      const made = decide();
      return { made, at: this.moment };
    } finally {
      this.moment = undefined;
    }
  }

  private time(): number {
    return this.lag === null ? this.own.now() : Math.round(this.lag + performance.now());
  }
}
