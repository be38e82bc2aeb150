import { TimeOver } from "../../guard/wrap/call-scope.js";
import { type Attempt, attemptError, type ProxyError } from "./proxy-error.js";

/** The error of a call that was given up, by its time or by whoever holds one of its signals. */
export function interruption(attempt: Attempt, reason: unknown, sent: boolean): ProxyError {
  const isTimeout = reason instanceof TimeOver || (reason instanceof Error && reason.name === "TimeoutError");
  const what = `${isTimeout ? "timed out" : "aborted"} ${sent ? "after" : "before"} it was sent`;
  return attemptError(attempt, what, { code: isTimeout ? "ETIMEDOUT" : "ERR_ABORTED", sent }, { cause: reason });
}
