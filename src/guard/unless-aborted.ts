/**
 * Waits for a result until the signal aborts, and rejects with its reason then. The work goes on: what it gives afterwards
 * nobody waits for, so it is taken back.
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  takeBack: (result: T) => Promise<unknown>,
): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abandon = () => {
      reject(signal.reason);
      // Nobody is left to be told what goes wrong here; a reservation that cannot be taken back stays counted.
      work.then(takeBack).catch((cause: unknown) => cause);
    };
    if (signal.aborted) {
      abandon();
      return;
    }
    signal.addEventListener("abort", abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abandon));
  });
}
