import { type CallFailure, failureOf } from "./call-failure.js";
import type { CallScope } from "./call-scope.js";

/** Settles like the work, or rejects once the call is aborted; work that listens to its signal settles first. */
export function untilAborted<T>(work: () => T | PromiseLike<T>, scope: CallScope): Promise<T> {
  return new Promise((resolve, reject) => {
    if (scope.isAborted) {
      reject(scope.reason);
      return;
    }
    const end = scope.onAbort(() => setImmediate(() => reject(scope.reason)));
    // Wrapped in a promise of ours: the work may throw, or return a promise of another kind.
    const done = new Promise<T>((finish) => finish(work()));
    done.then(
      (value) => {
        end();
        resolve(value);
      },
      (cause: unknown) => {
        end();
        reject(cause);
      },
    );
  });
}

/** One attempt: the output of the call, or its failure. */
export type Sent = { readonly kind: "output"; readonly output: unknown } | ({ readonly kind: "failure" } & CallFailure);

/** Makes one attempt; never throws. */
export async function sendCall(make: () => unknown, scope: CallScope, followsRedirects: boolean): Promise<Sent> {
  try {
    return { kind: "output", output: await untilAborted(make, scope) };
  } catch (cause) {
    return { kind: "failure", ...failureOf(cause, { isAborted: scope.isAborted, followsRedirects }) };
  }
}
