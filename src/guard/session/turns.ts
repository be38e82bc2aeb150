import { LONGEST_TIMER_MS } from "../wrap/call-scope.js";
import { Line, type Waiting } from "./line.js";
import type { Wait } from "./store.js";

/** A queue for turns, in the order of arrival, the urgent ones first, with a time limit for each wait. */
export class Turns {
  private isTaken = false;
  private readonly urgent = new Line();
  private readonly others = new Line();

  /** Takes the turn if it is free. */
  tryTake(): boolean {
    if (this.isTaken) return false;
    this.isTaken = true;
    return true;
  }

  /** Waits for the turn; false if it did not come in time. */
  take({ ms, isIdle, isUrgent }: Wait, who?: object): Promise<boolean> {
    if (this.tryTake()) return Promise.resolve(true);
    const line = isUrgent === true ? this.urgent : this.others;
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const waiting: Waiting = { enter, who, hasLeft: false };
      const timer = setTimeout(
        () => {
          waiting.hasLeft = true;
          resolve(false);
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      if (isIdle) timer.unref();
      line.add(waiting);
    });
  }

  /** Who waits comes before those that are not urgent. */
  hasten(who: object): void {
    const waiting = this.others.taken(who);
    if (waiting !== undefined) this.urgent.add(waiting);
  }

  /** Passes the turn on. */
  pass(): void {
    const next = this.urgent.next() ?? this.others.next();
    if (next === undefined) this.isTaken = false;
    else next.enter();
  }
}
