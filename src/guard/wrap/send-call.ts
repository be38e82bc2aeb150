import { type CallFailure, failureOf } from "./call-failure.js";

/** Settles like the work, or rejects once the signal aborts; work that listens to the signal settles first. */
export function untilAborted<T>(work: () => T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => setImmediate(() => reject(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    // Wrapped in a promise of ours: the work may throw, or return a promise of another kind.
    const done = new Promise<T>((finish) => finish(work()));
    done.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** One attempt: the output of the call, or its failure. */
export type Sent = { readonly kind: "output"; readonly output: unknown } | ({ readonly kind: "failure" } & CallFailure);

/** Makes one attempt; never throws. */
export async function sendCall(make: () => unknown, signal: AbortSignal, followsRedirects: boolean): Promise<Sent> {
  try {
    return { kind: "output", output: await untilAborted(make, signal) };
  } catch (cause) {
    return { kind: "failure", ...failureOf(cause, { isAborted: signal.aborted, followsRedirects }) };
  }
}
