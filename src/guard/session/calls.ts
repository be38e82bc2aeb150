import type { Call } from "./call.js";

/** This many of the latest calls are searched one by one; older ones are in a table. */
const LATEST = 64;
/** With this few calls left, the table is dropped. */
const FEW = 32;

/**
 * Unsettled calls in the order of their reservations. Any of them is found and removed in constant time. The calls are linked
 * to each other, and only those that stay open get into a table: entries that a table drops would keep settled calls alive until
 * the next full garbage collection.
 */
export class Calls implements Iterable<Call> {
  first: Call | null = null;
  last: Call | null = null;
  size = 0;
  /** Invariant: holds the calls with `isListed`, which are all calls up to some call. */
  #listed: Map<string, Call> | null = null;

  add(call: Call): void {
    call.before = this.last;
    if (this.last === null) this.first = call;
    else this.last.after = call;
    this.last = call;
    this.size += 1;
  }

  remove(call: Call): void {
    const { before, after } = call;
    if (before === null) this.first = after;
    else before.after = after;
    if (after === null) this.last = before;
    else after.before = before;
    // A settled call must not keep later ones alive.
    call.before = null;
    call.after = null;
    this.size -= 1;
    if (call.isListed) this.#listed?.delete(call.id);
    if (this.#listed !== null && this.size <= FEW) this.#unlist();
  }

  find(id: string): Call | undefined {
    let left = LATEST;
    for (let call = this.last; call !== null; call = call.before) {
      if (call.id === id) return call;
      if (--left === 0) return this.#list().get(id);
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<Call> {
    for (let call = this.first; call !== null; call = call.after) yield call;
  }

  /** The table, with all calls in it. */
  #list(): Map<string, Call> {
    const listed = this.#listed ?? new Map<string, Call>();
    for (let call = this.last; call !== null && !call.isListed; call = call.before) {
      call.isListed = true;
      listed.set(call.id, call);
    }
    this.#listed = listed;
    return listed;
  }

  #unlist(): void {
    for (const call of this) call.isListed = false;
    this.#listed = null;
  }
}
