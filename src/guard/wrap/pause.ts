import { LONGEST_TIMER_MS } from "./call-scope.js";

/** Waits; rejects with the reason of the signal as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
