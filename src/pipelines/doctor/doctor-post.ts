import { unreachable } from "../../base/invariant.js";
import { PostFailure, post } from "../wire/http-post.js";
import { isJsonType, parseJson } from "../wire/parse-json.js";

/** The result of a request. */
export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** Undefined if the body is not JSON. */
      readonly body: unknown;
      /** Whether the content type is JSON, or missing. */
      readonly isLabelledJson: boolean;
    }
  | { readonly kind: "too_large"; readonly status: number }
  | { readonly kind: "timeout"; readonly seconds: number }
  | { readonly kind: "lost"; readonly code: string; readonly sent: boolean };

/** One request of the doctor. */
export interface DoctorRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly timeoutMs: number;
}

/** The largest reply that is read. */
const MAX_BYTES = 16 * 1024 * 1024;

async function exchange(url: string, { headers, body }: DoctorRequest, signal: AbortSignal): Promise<Reply> {
  // A connection of its own: one that the endpoint closes would fail the next check.
  const own = { "content-type": "application/json", connection: "close", ...headers };
  const reply = await post({ url, headers: own, body: JSON.stringify(body), signal }, () => ({ bytes: MAX_BYTES }));
  const { status, bytes } = reply;
  if (bytes === null) return { kind: "too_large", status };
  const isLabelledJson = isJsonType(reply.headers["content-type"]);
  return { kind: "answer", status, body: parseJson(bytes), isLabelledJson };
}

/** Sends one JSON body; every result is a reply, never an exception. */
export async function doctorPost(url: string, request: DoctorRequest): Promise<Reply> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  try {
    return await exchange(url, request, signal);
  } catch (cause) {
    if (signal.aborted) return { kind: "timeout", seconds: request.timeoutMs / 1000 };
    if (!(cause instanceof PostFailure)) throw cause;
    return { kind: "lost", code: cause.code, sent: cause.sent };
  }
}

/** The result of a request in words, without quoting the reply. */
export function describeReply(reply: Reply): string {
  switch (reply.kind) {
    case "answer":
      return `answered ${reply.status}`;
    case "too_large":
      return `answered ${reply.status} with more than ${MAX_BYTES} bytes`;
    case "timeout":
      return `no answer within ${reply.seconds} s`;
    case "lost":
      return reply.sent ? `the connection was lost (${reply.code})` : `no connection (${reply.code})`;
    default:
      return unreachable(reply);
  }
}

/** The status of a reply; null if there was none. */
export function statusOf(reply: Reply): number | null {
  return reply.kind === "answer" || reply.kind === "too_large" ? reply.status : null;
}

/** Whether a reply has a status of success. */
export function isSuccess(reply: Reply): boolean {
  const status = statusOf(reply);
  return status !== null && status >= 200 && status < 300;
}

/** Whether a reply refuses the token. */
export function isRefusal(reply: Reply): boolean {
  const status = statusOf(reply);
  return status === 401 || status === 403;
}
