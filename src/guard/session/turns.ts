import { LONGEST_TIMER_MS } from "../wrap/call-scope.js";
import type { Wait } from "./store.js";

/** A queue for turns, in the order of arrival, the urgent ones first, with a time limit for each wait. */
export class Turns {
  private isTaken = false;
  private readonly urgent = new Set<() => void>();
  private readonly others = new Set<() => void>();

  /** Takes the turn if it is free. */
  tryTake(): boolean {
    if (this.isTaken) return false;
    this.isTaken = true;
    return true;
  }

  /** Waits for the turn; false if it did not come in time. */
  take({ ms, isIdle, isUrgent }: Wait): Promise<boolean> {
    if (this.tryTake()) return Promise.resolve(true);
    const waiting = isUrgent === true ? this.urgent : this.others;
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(
        () => {
          waiting.delete(enter);
          resolve(false);
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      if (isIdle) timer.unref();
      waiting.add(enter);
    });
  }

  /** Passes the turn on. */
  pass(): void {
    // Mostly nobody waits; no iterator is made to find that out.
    if (this.urgent.size > 0) letIn(this.urgent);
    else if (this.others.size > 0) letIn(this.others);
    else this.isTaken = false;
  }
}

function letIn(waiting: Set<() => void>): void {
  const [next] = waiting;
  if (next === undefined) return;
  waiting.delete(next);
  next();
}
