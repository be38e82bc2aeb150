import type { ServerResponse } from "node:http";
import type { RetryAfterForm } from "./admission.js";
import type { RateLimit } from "./rate-limit.js";
import type { Received } from "./receive.js";
import type { Refusal, RefusalCode } from "./refusal.js";
import type { OpenRun } from "./run.js";
import { sendJson } from "./send-json.js";

/** A request that belongs to no run. */
export interface Stray extends Received {
  readonly reply: RefusalCode;
}

/** What the proxy knows and keeps. */
export interface ProxyBooks {
  readonly runs: readonly OpenRun[];
  readonly strays: Stray[];
  readonly rateLimit: RateLimit;
  readonly retryAfter: RetryAfterForm;
  /** The shape of error bodies is not documented, so that a test may choose one. */
  readonly errorBody: (code: string) => unknown;
}

/** Sends a refusal in the shape that the books ask for. */
export function refuse({ errorBody }: ProxyBooks, response: ServerResponse, { code, status, headers }: Refusal): void {
  sendJson(response, status, errorBody(code), headers);
}
