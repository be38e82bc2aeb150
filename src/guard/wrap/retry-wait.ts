import type { CompiledTool } from "../../artifact/compiled.js";
import { backoff } from "../../base/backoff.js";
import { type CallFailure, retryAfterMs } from "./call-failure.js";

/** Only an answer that asks for more waits longer, as long as its contract allows. */
const GROWING = { firstMs: 500, longestMs: 4000 };

/** How long to wait after a failed attempt: as long as a 429 asks, or a growing time. */
export function retryWait(compiled: CompiledTool, failure: CallFailure, attempt: number, now: number): number {
  const isAsked = failure.outcome.kind === "error" && failure.outcome.status === 429 && compiled.respect_retry_after;
  const asked = isAsked ? retryAfterMs(failure.cause, now) : null;
  return Math.min(asked ?? backoff(attempt, GROWING), compiled.max_sleep_seconds * 1000);
}
