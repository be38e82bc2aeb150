import { LONGEST_TIMER_MS } from "../wrap/call-scope.js";
import type { Wait } from "./store.js";

/** A queue for turns, in the order of arrival, with a time limit for each wait. */
export class Turns {
  private isTaken = false;
  private readonly waiting = new Set<() => void>();

  /** Takes the turn if it is free. */
  tryTake(): boolean {
    if (this.isTaken) return false;
    this.isTaken = true;
    return true;
  }

  /** Waits for the turn; false if it did not come in time. */
  take({ ms, isIdle }: Wait): Promise<boolean> {
    if (this.tryTake()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(
        () => {
          this.waiting.delete(enter);
          resolve(false);
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      if (isIdle) timer.unref();
      this.waiting.add(enter);
    });
  }

  /** Passes the turn on. */
  pass(): void {
    // Mostly nobody waits; no iterator is made to find that out.
    if (this.waiting.size === 0) this.isTaken = false;
    else this.letIn();
  }

  private letIn(): void {
    const [next] = this.waiting;
    if (next === undefined) return;
    this.waiting.delete(next);
    next();
  }
}
