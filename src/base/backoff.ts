/** How the waits between attempts grow. */
export interface Backoff {
  /** The first wait, doubled for each further one. */
  readonly firstMs: number;
  /** No wait is longer. */
  readonly longestMs?: number;
  /** The share by which a wait is longer or shorter at random; a quarter unless given. */
  readonly spread?: number;
}

/** How long to wait after a failed attempt, counted from 1. Random, so that clients do not all come back together. */
export function backoff(
  attempt: number,
  { firstMs, longestMs = Number.POSITIVE_INFINITY, spread = 0.25 }: Backoff,
  random: () => number = Math.random,
): number {
  const middle = Math.min(firstMs * 2 ** (attempt - 1), longestMs / (1 + spread));
  return Math.min(middle * (1 - spread + 2 * spread * random()), longestMs);
}
