import type { StreamChange } from "../guard/durable-store.js";

type Listener = (change: StreamChange) => void;

/** One watch. */
interface Watch {
  /** The last revision that it was told of: of its own, because a stream that was deleted and begun anew has lower ones. */
  revision: number;
  readonly listener: Listener;
}

/** The listeners of each stream. */
export class Watchers {
  private readonly watched = new Map<string, Set<Watch>>();

  get streams(): readonly string[] {
    return [...this.watched.keys()];
  }

  /** `revision` is what the stream has reached: the listener is notified of what comes later. */
  add(stream: string, revision: number, listener: Listener): () => void {
    this.notify(stream, revision);
    const watches = this.watched.get(stream) ?? new Set();
    this.watched.set(stream, watches);
    const own: Watch = { revision, listener };
    watches.add(own);
    return () => {
      watches.delete(own);
      if (watches.size === 0 && this.watched.get(stream) === watches) this.watched.delete(stream);
    };
  }

  /** Calls the listeners of a stream that do not know the revision. */
  notify(stream: string, revision: number): void {
    for (const watch of [...(this.watched.get(stream) ?? [])]) {
      if (revision <= watch.revision) continue;
      watch.revision = revision;
      call(watch.listener, { stream, revision });
    }
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
