import type { Call } from "./session.js";

/** From so many calls on they are also found by a table, and until they are that few again. */
const MANY = 64;
const FEW = 32;

/**
 * Unsettled calls in the order of their reservations. Any of them is found and taken out at once, however many there are.
 * The calls are linked to each other, and only many of them get a table: calls come and go all the time, and the tables
 * that a map leaves behind keep dead calls alive until the next full garbage collection.
 */
export class Calls implements Iterable<Call> {
  first: Call | null = null;
  last: Call | null = null;
  size = 0;
  #byId: Map<string, Call> | null = null;

  add(call: Call): void {
    call.before = this.last;
    if (this.last === null) this.first = call;
    else this.last.after = call;
    this.last = call;
    this.size += 1;
    if (this.#byId !== null) this.#byId.set(call.id, call);
    else if (this.size >= MANY) this.#byId = new Map(Array.from(this, (known) => [known.id, known]));
  }

  remove(call: Call): void {
    const { before, after } = call;
    if (before === null) this.first = after;
    else before.after = after;
    if (after === null) this.last = before;
    else after.before = before;
    // A dead call must not keep those alive that came after it.
    call.before = null;
    call.after = null;
    this.size -= 1;
    if (this.size <= FEW) this.#byId = null;
    else this.#byId?.delete(call.id);
  }

  find(id: string): Call | undefined {
    if (this.#byId !== null) return this.#byId.get(id);
    for (let call = this.last; call !== null; call = call.before) if (call.id === id) return call;
    return undefined;
  }

  *[Symbol.iterator](): Generator<Call> {
    for (let call = this.first; call !== null; call = call.after) yield call;
  }
}
