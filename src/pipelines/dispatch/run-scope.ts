import { CallScope } from "../../guard/wrap/call-scope.js";

/** The abort reason once a run is over. */
class RunEnded extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RunEnded";
  }
}

/** The life of one run: it ends by its time limit, when the caller disconnected, or with the reply. */
export class RunScope {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly leave: () => void;
  /** Settles when the run has to stop. */
  readonly ended: Promise<void>;

  constructor(
    ms: number,
    private readonly caller: AbortSignal,
  ) {
    this.ended = new Promise((resolve) => this.signal.addEventListener("abort", () => resolve(), { once: true }));
    this.timer = setTimeout(() => this.stop("the run timed out"), Math.max(ms, 0));
    this.leave = () => this.stop("the caller disconnected");
    if (caller.aborted) this.leave();
    else caller.addEventListener("abort", this.leave, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Makes one call under the signal of the run, joined with the caller's own. */
  async call<T>(own: AbortSignal | null, make: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    if (own === null) return make(this.signal);
    const scope = new CallScope([this.signal, own]);
    try {
      return await make(scope.signal);
    } finally {
      scope.close();
    }
  }

  /** Ends the run: later calls of its agent are refused. */
  close(): void {
    clearTimeout(this.timer);
    this.caller.removeEventListener("abort", this.leave);
    this.stop("the run is over");
  }

  private stop(why: string): void {
    if (!this.signal.aborted) this.controller.abort(new RunEnded(why));
  }
}
