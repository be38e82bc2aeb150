import { type CallFailure, failureOf } from "./call-failure.js";

/** Settles like the work, or with the reason of the signal as soon as that aborts; work that listens can say more. */
export function untilAborted<T>(work: () => T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => setImmediate(() => reject(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    // Whatever the work gives or throws, a promise of another kind included, settles this one of ours.
    const done = new Promise<T>((finish) => finish(work()));
    done.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** One attempt: what the call gave, or what went wrong. */
export type Sent = { readonly kind: "output"; readonly output: unknown } | ({ readonly kind: "failure" } & CallFailure);

/** Makes one attempt; never throws. */
export async function sendCall(make: () => unknown, signal: AbortSignal, followsRedirects: boolean): Promise<Sent> {
  try {
    return { kind: "output", output: await untilAborted(make, signal) };
  } catch (cause) {
    return { kind: "failure", ...failureOf(cause, { isAborted: signal.aborted, followsRedirects }) };
  }
}
