const MINUTE_MS = 60_000;

/** Counts the requests of each token in the last minute; the strictest reading of a limit per minute. */
export class RateLimit {
  private readonly admitted = new Map<string, number[]>();

  constructor(
    private readonly perMinute: number,
    private readonly now: () => number,
  ) {}

  /** Takes a place and gives 0, or gives the milliseconds until there is one; what is refused takes no place. */
  take(token: string): number {
    const now = this.now();
    const recent = (this.admitted.get(token) ?? []).filter((moment) => now - moment < MINUTE_MS);
    this.admitted.set(token, recent);
    if (recent.length < this.perMinute) {
      recent.push(now);
      return 0;
    }
    return MINUTE_MS - (now - (recent[0] ?? now));
  }
}
