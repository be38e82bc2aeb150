import type { CompiledTool } from "../../artifact/compiled.js";
import { backoff } from "../../base/backoff.js";
import { type CallFailure, retryAfterMs } from "./call-failure.js";

/** From 250 to 500 ms at first. Only an answer that asks for more waits longer than 4 s, as its contract allows. */
const GROWING = { firstMs: 375, longestMs: 4000, spread: 1 / 3 };

/** How long to wait after a failed attempt: as long as a 429 asks, or a growing time. */
export function retryWait(compiled: CompiledTool, failure: CallFailure, attempt: number, now: number): number {
  const isAsked = failure.outcome.kind === "error" && failure.outcome.status === 429 && compiled.respect_retry_after;
  const asked = isAsked ? retryAfterMs(failure.cause, now) : null;
  return Math.min(asked ?? backoff(attempt, GROWING), compiled.max_sleep_seconds * 1000);
}
