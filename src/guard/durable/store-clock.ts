import type { Clock } from "../public.js";

/** While a machine sleeps, the clock that cannot be set may stand still, and the one that can does not. */
const SLEPT_MS = 1_000;

function apart(): number {
  return Date.now() - performance.now();
}

/**
 * The time by the clock of the store, where it has one: its time at the last answer, and what passed since by a clock that cannot
 * be set. Otherwise the clock of the guard.
 */
export class StoreClock implements Clock {
  private lag: number | null = null;
  /** How far apart the two clocks of this machine were when the store said its time. */
  private apart = 0;
  /** The time of the decision that is being made, once it asked for it; undefined if none is. */
  private moment: number | null | undefined;

  constructor(private readonly own: Clock) {}

  /** The store said what time it is. Anything but a number is not believed: no deadline would ever pass. */
  heard(now: unknown): void {
    if (typeof now !== "number" || !Number.isFinite(now)) return;
    this.lag = now - performance.now();
    this.apart = apart();
  }

  /** Whether the machine may have slept since the store said its time: then it has to be asked again. */
  get mayHaveSlept(): boolean {
    return this.lag !== null && Math.abs(apart() - this.apart) > SLEPT_MS;
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
