import { LONGEST_TIMER_MS } from "./call-scope.js";

/** The timer fired first. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/** The result of a promise, or TIMED_OUT if it takes longer; a timer may fire early by another clock. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), Math.min(ms, LONGEST_TIMER_MS));
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
