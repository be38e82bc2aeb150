import { backoff } from "../../base/backoff.js";
import { type Block, block } from "../decide/verdict.js";

/** An end of an approval that this guard decided and that may not be recorded yet. */
export type PendingEnd = "denied" | "withdrawn";

/** The refusal of a call whose approval ended in this way. */
export function refusalOf(end: PendingEnd): Block {
  return end === "denied"
    ? block("approval_denied", null, "an approval", "a denial")
    : block("approval_withdrawn", null, "a pending approval", "a request that was withdrawn");
}

/** The pauses between attempts to record an end; from 10 to 20 ms at first. */
const PAUSES = { firstMs: 15, longestMs: 10_000, spread: 1 / 3 };

function idle(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/**
 * Ends of approvals that hold in this guard at once, and in the store as soon as it answers: the approver denied, or the caller
 * gave up. An unavailable store must turn neither into a timeout, which may allow the call, nor into a later approval.
 */
export class PendingEnds {
  private readonly ends = new Map<string, PendingEnd>();
  private readonly recording = new Set<string>();

  /** The end of an approval, whatever else is decided about it. */
  of(approvalId: string): PendingEnd | undefined {
    return this.ends.get(approvalId);
  }

  /** The end, if it could not be recorded so far: callers need not wait for the store to learn it. */
  unrecorded(approvalId: string): PendingEnd | undefined {
    return this.recording.has(approvalId) ? this.ends.get(approvalId) : undefined;
  }

  /** Adds an end; false if the approval has one already. */
  add(approvalId: string, end: PendingEnd): boolean {
    if (this.ends.has(approvalId)) return false;
    this.ends.set(approvalId, end);
    return true;
  }

  /** The end is recorded, or came too late. */
  remove(approvalId: string): void {
    this.ends.delete(approvalId);
    this.recording.delete(approvalId);
  }

  /**
   * Records an end as soon as the store answers; this does not keep the process alive. `record` rejects as long as it cannot be
   * done.
   */
  async recordLater(approvalId: string, record: () => Promise<unknown>): Promise<void> {
    this.recording.add(approvalId);
    for (let attempt = 1; this.recording.has(approvalId); attempt++) {
      await idle(backoff(attempt, PAUSES));
      try {
        await record();
        this.remove(approvalId);
      } catch {
        // Tried until it is recorded.
      }
    }
  }
}
