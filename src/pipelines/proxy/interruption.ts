import { TimedOut } from "../../guard/wrap/call-scope.js";
import { type Attempt, attemptError, type ProxyError } from "./proxy-error.js";

/** The error of a call that timed out or was aborted. */
export function interruption(attempt: Attempt, reason: unknown, sent: boolean): ProxyError {
  const isTimeout = reason instanceof TimedOut || (reason instanceof Error && reason.name === "TimeoutError");
  const what = `${isTimeout ? "timed out" : "aborted"} ${sent ? "after" : "before"} it was sent`;
  return attemptError(attempt, what, { code: isTimeout ? "ETIMEDOUT" : "ERR_ABORTED", sent }, { cause: reason });
}
