import type { IncomingHttpHeaders } from "node:http";
import { isActorId } from "./actor-id.js";
import type { RateLimit } from "./rate-limit.js";
import { REQUEST_LIMIT_BYTES, type Received } from "./receive.js";
import { type Refusal, refusal } from "./refusal.js";
import type { Run } from "./run.js";

/** How a refusal for too many requests says when to come back, if it says so. */
export type RetryAfterForm = "none" | "seconds" | "date";

/** The token of a request in either of its two forms; an Authorization header, if there, is the one that counts. */
export function tokenOf({ authorization, ...headers }: IncomingHttpHeaders): string | null {
  if (authorization !== undefined) return authorization.startsWith("Bearer ") ? authorization.slice(7) : null;
  const token = headers["x-pipelines-run-token"];
  return typeof token === "string" ? token : null;
}

/** What any request must get past, whatever it is for. */
export function doorRefusal(run: Run | undefined, { method, headers }: Received): Refusal | null {
  if (method !== "POST") return refusal("method_not_allowed", { allow: "POST" });
  return run !== undefined && tokenOf(headers) === run.runToken ? null : refusal("run_token_invalid");
}

/** A body is a JSON object of at most 1 MiB. */
export function bodyRefusal({ bytes, body }: Received): Refusal | null {
  if (bytes > REQUEST_LIMIT_BYTES) return refusal("request_too_large");
  return body === null ? refusal("body_not_object") : null;
}

/** A label is optional, but one that is there must be well formed. */
export function actorRefusal({ headers }: Received): Refusal | null {
  const label = headers["x-pipelines-actor-id"];
  if (label === undefined) return null;
  return typeof label === "string" && isActorId(label) ? null : refusal("actor_id_invalid");
}

/** Counts the request, and refuses it where the token had its share. */
export function rateRefusal(rateLimit: RateLimit, form: RetryAfterForm, { runToken }: Run): Refusal | null {
  const waitMs = rateLimit.take(runToken);
  if (waitMs === 0) return null;
  const seconds = Math.ceil(waitMs / 1000);
  switch (form) {
    case "none":
      return refusal("rate_limited");
    case "seconds":
      return refusal("rate_limited", { "retry-after": String(seconds) });
    case "date":
      return refusal("rate_limited", { "retry-after": new Date(Date.now() + seconds * 1000).toUTCString() });
    default:
      throw new Error(`no such form: ${form satisfies never}`);
  }
}
