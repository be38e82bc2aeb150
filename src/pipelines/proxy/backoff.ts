/** The first wait, doubled for each further one. */
const FIRST_WAIT_MS = 500;

/** How long to wait after an attempt: a quarter more or less than doubled, so that clients do not come back together. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  return FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.75 + random() / 2);
}
