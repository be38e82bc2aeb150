import type { Guard } from "../guard/guard-api.js";
import { LONGEST_TIMER_MS } from "../guard/wrap/call-scope.js";
import type { Metric } from "./metrics.js";

/** How long after its deadline a request is looked at again: the clock that decides may be behind. */
const AGAIN_MS = 10_000;

/** Counts the request that a guard waits for: a session has one at a time. */
export class PendingApprovals {
  private isPending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly guard: Guard,
    private readonly count: Metric,
  ) {}

  /** The one before has ended. */
  asked(deadline: number): void {
    this.ended();
    this.isPending = true;
    this.count(1);
    this.lookAfter(deadline - Date.now());
  }

  ended(): void {
    clearTimeout(this.timer);
    if (this.isPending) this.count(-1);
    this.isPending = false;
  }

  /**
   * A refusal may have nothing to do with the request, and an answer may be one of several that it needs: a pending one pauses the
   * session.
   */
  endedUnlessPaused(): void {
    const { guard, isPending } = this;
    if (isPending && !guard.explain({ tool: "", args: {} }).some(({ reason }) => reason === "session_paused")) {
      this.ended();
    }
  }

  /** A request that nobody asks about any more ends too. */
  private lookAfter(ms: number): void {
    const look = () => {
      this.endedUnlessPaused();
      if (this.isPending) this.lookAfter(AGAIN_MS);
    };
    this.timer = setTimeout(look, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    this.timer.unref();
  }
}
