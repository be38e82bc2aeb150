import type { OutgoingHttpHeaders } from "node:http";

/** Why the proxy turns a request away; only two of the codes are the documents', the others are made up. */
const STATUSES = {
  route_unknown: 404,
  method_not_allowed: 405,
  run_token_invalid: 401,
  rate_limited: 429,
  actor_id_invalid: 400,
  request_too_large: 413,
  body_not_object: 400,
  tool_unknown: 404,
  trace_event_type_invalid: 400,
  trace_failed: 500,
} as const;

export type RefusalCode = keyof typeof STATUSES;

export interface Refusal {
  readonly code: RefusalCode;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

/** A refusal with the status that belongs to its code. */
export function refusal(code: RefusalCode, headers: OutgoingHttpHeaders = {}): Refusal {
  return { code, status: STATUSES[code], headers };
}
