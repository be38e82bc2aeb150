import type { ReplayedSession } from "./replayed-session.js";

/** Counts over all sessions, in the form that `--format json` prints. */
export interface ReplaySummary {
  readonly sessions: number;
  readonly calls: number;
  readonly allowed: number;
  readonly blocked: number;
  /** Refused calls by their reason. */
  readonly by_reason: Readonly<Record<string, number>>;
}

/** Counts sessions as they come. */
export class SummaryCount {
  private sessions = 0;
  private calls = 0;
  private allowed = 0;
  private blocked = 0;
  private readonly byReason = new Map<string, number>();

  add({ verdicts }: ReplayedSession): void {
    this.sessions += 1;
    this.calls += verdicts.length;
    for (const { kind, reason = "" } of verdicts) {
      if (kind === "allow") this.allowed += 1;
      if (kind !== "block") continue;
      this.blocked += 1;
      this.byReason.set(reason, (this.byReason.get(reason) ?? 0) + 1);
    }
  }

  summary(): ReplaySummary {
    const { sessions, calls, allowed, blocked } = this;
    const reasons = [...this.byReason].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
    return { sessions, calls, allowed, blocked, by_reason: Object.fromEntries(reasons) };
  }
}
