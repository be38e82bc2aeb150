import { LONGEST_TIMER_MS } from "./call-scope.js";

/** The first and the longest pause between attempts to record a denial. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 10_000;

function idle(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS)).unref();
  });
}

/**
 * Denials that could not be recorded yet. They hold in this guard at once: an approver said no, and the store being away must
 * not turn that into silence, which may let the call through.
 */
export class Denials {
  private readonly owed = new Set<string>();

  /** `record` tells whether a denial is recorded, or needs to be no more. */
  constructor(private readonly record: (approvalId: string) => Promise<boolean>) {}

  has(approvalId: string): boolean {
    return this.owed.has(approvalId);
  }

  /** Remembers a denial, and records it as soon as the store answers; that does not keep the process alive. */
  owe(approvalId: string): void {
    if (this.owed.has(approvalId)) return;
    this.owed.add(approvalId);
    void this.recordLater(approvalId);
  }

  private async recordLater(approvalId: string): Promise<void> {
    for (let ms = FIRST_PAUSE_MS; this.owed.has(approvalId); ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
      await idle(ms * (0.5 + Math.random() / 2));
      if (await this.record(approvalId)) this.owed.delete(approvalId);
    }
  }
}
