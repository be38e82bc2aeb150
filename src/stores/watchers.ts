import type { StreamChange } from "../guard/durable-store.js";

type Listener = (change: StreamChange) => void;

interface Watched {
  /** The last revision that the listeners were given. */
  revision: number;
  readonly listeners: Set<Listener>;
}

/** The listeners of each stream. */
export class Watchers {
  private readonly watched = new Map<string, Watched>();

  get streams(): readonly string[] {
    return [...this.watched.keys()];
  }

  /** `revision` is what the stream has reached: the listener is notified of what comes later. */
  add(stream: string, revision: number, listener: Listener): () => void {
    this.notify(stream, revision);
    const known = this.watched.get(stream) ?? { revision, listeners: new Set() };
    this.watched.set(stream, known);
    // A new object each time: the same function may watch twice, and each watch ends separately.
    const own: Listener = (change) => listener(change);
    known.listeners.add(own);
    return () => {
      known.listeners.delete(own);
      if (known.listeners.size === 0 && this.watched.get(stream) === known) this.watched.delete(stream);
    };
  }

  /** Calls the listeners of a stream, unless they know the revision. */
  notify(stream: string, revision: number): void {
    const known = this.watched.get(stream);
    if (known === undefined || revision <= known.revision) return;
    known.revision = revision;
    for (const listener of [...known.listeners]) call(listener, { stream, revision });
  }

  clear(): void {
    this.watched.clear();
  }
}

/** Listeners run during an append or in a timer: one that throws must harm neither the store nor the process. */
function call(listener: Listener, change: StreamChange): void {
  try {
    listener(change);
  } catch {
    // What it throws is not an answer to anyone.
  }
}
