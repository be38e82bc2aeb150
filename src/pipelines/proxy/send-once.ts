import { PostFailure, type PostReply, post, type ReplyHead, type Wanted } from "../wire/http-post.js";
import { isJsonType, parseJson } from "../wire/parse-json.js";
import { errorCode } from "./error-code.js";
import { interruption } from "./interruption.js";
import { unwrapEnvelope } from "./proxy-envelope.js";
import { type Attempt, attemptError, type ProxyError } from "./proxy-error.js";
import { MAX_BYTES, type ProxyRequest } from "./proxy-request.js";

/** A code is in the first few bytes, or nowhere. */
const MAX_ERROR_BYTES = 16_384;
/** The status alone is enough; its body is awaited only briefly. */
const ERROR_BODY_MS = 1000;

function isAnswer({ status }: ReplyHead): boolean {
  return status >= 200 && status < 300;
}

function wanted(head: ReplyHead): Wanted {
  if (!isAnswer(head)) return { bytes: MAX_ERROR_BYTES, withinMs: ERROR_BODY_MS };
  return { bytes: isJsonType(head.headers["content-type"]) ? MAX_BYTES : 0 };
}

function refusal({ status, headers, bytes }: PostReply, attempt: Attempt, runToken: string): ProxyError {
  const code = bytes === null ? undefined : errorCode(parseJson(bytes));
  const retryAfter = headers["retry-after"];
  // A proxy that echoes the request must not bring the token into a log.
  const shown = code !== undefined && !code.includes(runToken) ? code : undefined;
  return attemptError(attempt, `the proxy answered ${status}${shown === undefined ? "" : ` (${shown})`}`, {
    status,
    ...(shown === undefined ? {} : { code: shown }),
    ...(retryAfter === undefined || retryAfter.includes(runToken) ? {} : { retryAfter }),
  });
}

function unreadable({ status, headers }: PostReply, attempt: Attempt): ProxyError {
  if (!isJsonType(headers["content-type"])) {
    const what = "the reply of the proxy says that it is not JSON";
    return attemptError(attempt, what, { status, code: "ERR_CONTENT_TYPE" });
  }
  const what = `the reply of the proxy has more than ${MAX_BYTES} bytes`;
  return attemptError(attempt, what, { status, code: "ERR_RESPONSE_TOO_LARGE" });
}

function lost(attempt: Attempt, signal: AbortSignal, { code, sent }: PostFailure): ProxyError {
  if (signal.aborted) return interruption(attempt, signal.reason, sent);
  const what = sent ? "the connection to the proxy was lost" : "no connection to the proxy";
  return attemptError(attempt, `${what} (${code})`, { code, sent });
}

/** One request and its response; every failure is thrown as a `ProxyError`. */
export async function sendOnce(request: ProxyRequest, attempt: Attempt, signal: AbortSignal): Promise<unknown> {
  const { url, headers, body, runToken } = request;
  let reply: PostReply;
  try {
    reply = await post({ url, headers, body, signal }, wanted);
  } catch (cause) {
    throw cause instanceof PostFailure ? lost(attempt, signal, cause) : cause;
  }
  if (!isAnswer(reply)) throw refusal(reply, attempt, runToken);
  if (reply.bytes === null) throw unreadable(reply, attempt);
  return unwrapEnvelope(reply.bytes, reply.status, attempt);
}
