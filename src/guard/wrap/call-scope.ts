/** A longer timer would overflow and fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The reason of a call whose time was over. */
export class TimeOver extends Error {}

/** The calls under way that follow each signal. */
const followers = new WeakMap<AbortSignal, Set<CallScope>>();

/** Why a signal has aborted; a caller may have put a trap there, which must not keep it from aborting. */
function reasonOf(signal: AbortSignal): unknown {
  try {
    return signal.reason;
  } catch {
    return new DOMException("This operation was aborted", "AbortError");
  }
}

/** One listener a signal, however many calls follow it: Node warns of a leak at the eleventh. */
function followersOf(signal: AbortSignal): Set<CallScope> {
  const known = followers.get(signal);
  if (known !== undefined) return known;
  const scopes = new Set<CallScope>();
  signal.addEventListener("abort", () => {
    for (const scope of scopes) scope.abort(reasonOf(signal));
  });
  // Known only once it listens: what is no signal has thrown by now, and will the next time.
  followers.set(signal, scopes);
  return scopes;
}

/**
 * What may end a call: its signals and its time, as one signal. It lets go of the signals when the call is over; on Node
 * 20 a signal made by `AbortSignal.any` is never collected while somebody listens to it.
 */
export class CallScope {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly signals: readonly AbortSignal[]) {
    for (const signal of signals) {
      if (signal.aborted) this.abort(reasonOf(signal));
      else followersOf(signal).add(this);
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Starts the time anew. */
  limit(ms: number): void {
    this.unlimit();
    this.timer = setTimeout(() => this.abort(new TimeOver("timed out")), Math.min(ms, LONGEST_TIMER_MS));
  }

  unlimit(): void {
    clearTimeout(this.timer);
  }

  close(): void {
    this.unlimit();
    for (const signal of this.signals) followers.get(signal)?.delete(this);
  }
}
