import { type Block, block } from "../decide/verdict.js";
import { LONGEST_TIMER_MS } from "../wrap/call-scope.js";

/** An end of an approval that this guard decided, and the store may not know of yet. */
export type OwedEnd = "denied" | "withdrawn";

/** The refusal of a call whose approval has ended so. */
export function refusalOf(end: OwedEnd): Block {
  return end === "denied"
    ? block("approval_denied", null, "an approval", "a denial")
    : block("approval_withdrawn", null, "a pending approval", "a request that was withdrawn");
}

/** The first and the longest pause between attempts to record an end. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 10_000;

function idle(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS)).unref();
  });
}

/**
 * Ends of approvals that hold in this guard at once, and in the store as soon as that answers: an approver said no, or whoever
 * asked gave up. That the store is away must turn neither into silence, which may let the call through, nor into the
 * approval of somebody who was slower.
 */
export class OwedEnds {
  private readonly held = new Map<string, OwedEnd>();
  private readonly recording = new Set<string>();

  /** The end that holds, whatever else is decided about the approval. */
  of(approvalId: string): OwedEnd | undefined {
    return this.held.get(approvalId);
  }

  /** The end that could not be recorded so far: nobody has to wait for the store to hear of it. */
  unrecorded(approvalId: string): OwedEnd | undefined {
    return this.recording.has(approvalId) ? this.held.get(approvalId) : undefined;
  }

  /** Holds from now on; false where another end does already. */
  hold(approvalId: string, end: OwedEnd): boolean {
    if (this.held.has(approvalId)) return false;
    this.held.set(approvalId, end);
    return true;
  }

  /** It is recorded, or came too late. */
  drop(approvalId: string): void {
    this.held.delete(approvalId);
    this.recording.delete(approvalId);
  }

  /**
   * Records an end that holds as soon as the store answers; that does not keep the process alive. `record` fails while it
   * cannot be done.
   */
  async owe(approvalId: string, record: () => Promise<unknown>): Promise<void> {
    this.recording.add(approvalId);
    for (let ms = FIRST_PAUSE_MS; this.recording.has(approvalId); ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      await idle(ms * (0.5 + Math.random() / 2));
      try {
        await record();
        this.drop(approvalId);
      } catch {
        // It is owed until it is recorded.
      }
    }
  }
}
