import { foreignProperty } from "../../base/foreign-value.js";
import { type Failure, statusClass } from "../session/outcome.js";
import { isNeverMade } from "./never-made.js";

/** A call that threw: the error itself, its outcome, and the tokens that a retry policy may name. */
export interface CallFailure {
  readonly cause: unknown;
  readonly outcome: Failure;
  readonly tokens: readonly string[];
}

/** Codes of sockets, HTTP parsers, decompression and TLS. */
const TRANSPORT = /^(?:E[A-Z0-9]{3,}|EAI_\w+|(?:UND_ERR|HPE|Z|ERR|CERT|DEPTH)_\w+)$/;
const TIMEOUT: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** What is known of the call besides its error. */
export interface FailedCall {
  /** The signal of the call has aborted: the error may then be the reason of the abort. */
  readonly isAborted: boolean;
  readonly followsRedirects: boolean;
}

/** The code of the error or, as with fetch, of its cause. */
function codeOf(error: unknown): string | undefined {
  const code = foreignProperty(error, "code") ?? foreignProperty(foreignProperty(error, "cause"), "code");
  return typeof code === "string" ? code : undefined;
}

function booleanOf(error: unknown, name: string): boolean | undefined {
  const value = foreignProperty(error, name);
  return typeof value === "boolean" ? value : undefined;
}

function statusOf(error: unknown): number | undefined {
  const status = foreignProperty(error, "status");
  return typeof status === "number" && Number.isInteger(status) ? status : undefined;
}

function isTimeout(error: unknown, code: string | undefined): boolean {
  return foreignProperty(error, "name") === "TimeoutError" || (code !== undefined && TIMEOUT.has(code));
}

function messageOf(error: unknown): string | undefined {
  const message = foreignProperty(error, "message");
  return typeof message === "string" ? message : undefined;
}

/** Reads the error of a call: its status, its code, whether anything was sent. Never throws. */
export function failureOf(cause: unknown, { isAborted, followsRedirects }: FailedCall): CallFailure {
  if (isAborted) return { cause, outcome: { kind: "timeout" }, tokens: ["timeout"] };
  const code = codeOf(cause);
  const status = statusOf(cause);
  const isLate = isTimeout(cause, code);
  // After a redirect, the refused connection may have been the second one.
  const sent = booleanOf(cause, "sent") ?? (!followsRedirects && isNeverMade(cause) ? false : undefined);
  const answered = booleanOf(cause, "answered");
  // An error that reports a timeout keeps its code and message too: `allowed_errors` may expect it by them.
  const outcome: Failure = { kind: "error", sent, answered, status, code, message: messageOf(cause) };
  const isNetwork = code !== undefined && TRANSPORT.test(code);
  const isTransport = code === "transport_error" || foreignProperty(cause, "source") === "transport_error";
  const family = status === undefined ? null : statusClass(status);
  const tokens = [
    ...(isLate ? ["timeout"] : []),
    ...(status === undefined ? [] : [String(status)]),
    ...(family === null ? [] : [family]),
    ...(code === undefined ? [] : [code]),
    ...(isNetwork && !isLate ? ["network"] : []),
    ...(isTransport ? ["transport_error"] : []),
  ];
  return { cause, outcome, tokens };
}

/** Whether the retry policy of a contract names this failure. */
export function isRetried(retryOn: readonly string[], { tokens }: CallFailure): boolean {
  return retryOn.some((token) => tokens.includes(token));
}

function headerOf(headers: unknown, name: string): unknown {
  try {
    return headers instanceof Headers ? headers.get(name) : foreignProperty(headers, name);
  } catch {
    return undefined; // a revoked proxy has no headers
  }
}

/** How long the answer asked to wait, in seconds or as a date; null if it did not. */
export function retryAfterMs(cause: unknown, now: number): number | null {
  const asked = foreignProperty(cause, "retryAfter") ?? headerOf(foreignProperty(cause, "headers"), "retry-after");
  if (typeof asked === "number") return Number.isNaN(asked) ? null : Math.max(0, asked * 1000);
  if (typeof asked !== "string") return null;
  if (/^[0-9]+$/.test(asked.trim())) return Number(asked) * 1000;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
