/** A longer timer would overflow and fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The abort reason of a call that timed out. */
export class TimedOut extends Error {}

/** The running calls that follow each signal. */
const followers = new WeakMap<AbortSignal, Set<CallScope>>();

/** Why a signal has aborted; a getter of the caller that throws, or gives nothing, must not prevent the abort. */
function reasonOf(signal: AbortSignal): unknown {
  let reason: unknown;
  try {
    reason = signal.reason;
  } catch {
    // Then it is the usual one.
  }
  return reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
}

/** One listener for each signal, however many calls follow it: Node warns of a leak at the eleventh. */
function followersOf(signal: AbortSignal): Set<CallScope> {
  const known = followers.get(signal);
  if (known !== undefined) return known;
  const scopes = new Set<CallScope>();
  signal.addEventListener("abort", () => {
    for (const scope of scopes) scope.abort(reasonOf(signal));
  });
  // Registered after `addEventListener`, which throws on objects that are not signals.
  followers.set(signal, scopes);
  return scopes;
}

/**
 * The signals and the time limit of a call, as one signal. It removes its listeners when the call is over; on Node 20 a signal
 * made by `AbortSignal.any` is never collected while it has listeners.
 */
export class CallScope {
  /** Made for those who ask for the signal: making it takes as long as judging a call. */
  private controller: AbortController | null = null;
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private ended: { readonly reason: unknown } | null = null;

  constructor(private readonly signals: readonly AbortSignal[]) {
    for (const signal of signals) {
      if (signal.aborted) this.abort(reasonOf(signal));
      else followersOf(signal).add(this);
    }
  }

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.ended !== null) this.controller.abort(this.ended.reason);
    }
    return this.controller.signal;
  }

  get isAborted(): boolean {
    return this.ended !== null;
  }

  /** Why it was aborted; undefined before that. */
  get reason(): unknown {
    return this.ended?.reason;
  }

  throwIfAborted(): void {
    if (this.ended !== null) throw this.ended.reason;
  }

  abort(reason: unknown): void {
    if (this.ended !== null) return;
    this.ended = { reason };
    this.controller?.abort(reason);
    for (const listener of this.listeners) listener();
  }

  /** Hears of the abort after those who listen to the signal; a listener of a signal takes 4 µs more. */
  onAbort(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sets the time limit, counted from now; without any time left it has passed. */
  limit(ms: number): void {
    this.unlimit();
    const end = () => this.abort(new TimedOut("timed out"));
    if (ms <= 0) end();
    else this.timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
  }

  unlimit(): void {
    clearTimeout(this.timer);
  }

  close(): void {
    this.unlimit();
    for (const signal of this.signals) followers.get(signal)?.delete(this);
  }
}
