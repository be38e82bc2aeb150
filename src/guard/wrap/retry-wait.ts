import type { CompiledTool } from "../../artifact/compiled.js";
import { type CallFailure, retryAfterMs } from "./call-failure.js";

/** Backoff of the first retry, doubled for each further one. */
const FIRST_WAIT_MS = 500;
/** No backoff is longer; only an answer that asks for more waits as long as its contract allows. */
const LONGEST_WAIT_MS = 4000;

/** How long to wait after a failed attempt: as long as a 429 asks, or a growing time with some jitter. */
export function retryWait(compiled: CompiledTool, failure: CallFailure, attempt: number, now: number): number {
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2), LONGEST_WAIT_MS);
  const isAsked = failure.outcome.kind === "error" && failure.outcome.status === 429 && compiled.respect_retry_after;
  const asked = isAsked ? retryAfterMs(failure.cause, now) : null;
  return Math.min(asked ?? backoff, compiled.max_sleep_seconds * 1000);
}
