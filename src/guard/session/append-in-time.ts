import { backoff } from "../../base/backoff.js";
import type { LogStep, SessionLog } from "./session-log.js";
import { pause, type Wait } from "./store.js";
import { isStoreClosed, isStoreUnavailable, moreTelling } from "./store-errors.js";

/** Other writers try again too: waits that are entirely random keep them apart. */
const BETWEEN_REPEATS = { firstMs: 2, longestMs: 200, spread: 1 };

/** Sends an append, and the same one again while there is time and no answer; false after a conflict. */
export async function repeatedInTime(send: (wait: Wait) => Promise<boolean>, { ms, isIdle }: Wait): Promise<boolean> {
  const until = performance.now() + ms;
  let failure: unknown;
  for (let repeat = 1; ; repeat++) {
    try {
      return await send({ ms: Math.max(1, until - performance.now()), isIdle });
    } catch (cause) {
      const rest = backoff(repeat, BETWEEN_REPEATS);
      const mayPass = isStoreUnavailable(cause) && !isStoreClosed(cause);
      failure = moreTelling(failure, cause);
      if (!mayPass || performance.now() + rest >= until) throw failure;
      await pause({ ms: rest, isIdle });
    }
  }
}

/** Appends a step, again if there is no answer and the log takes it once. */
export async function appendInTime(log: SessionLog, step: LogStep, wait: Wait): Promise<boolean> {
  return log.isDurable ? repeatedInTime((left) => log.append(step, left), wait) : log.append(step, wait);
}
