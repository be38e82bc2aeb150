import type { Clock } from "../../src/guard/public.js";

/** A clock that moves only when a test moves it. */
export class TestClock implements Clock {
  private time = Date.UTC(2026, 0, 1);

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }
}
