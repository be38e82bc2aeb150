import type { Outcome } from "./settlement.js";

/** A call that threw: the error itself, what it means, and the words a retry policy may know it by. */
export interface CallFailure {
  readonly cause: unknown;
  readonly outcome: Outcome & { readonly kind: "error" | "timeout" };
  readonly tokens: readonly string[];
}

/** Errors of the network that come before anything was sent. */
const NEVER_SENT: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** Codes of sockets, HTTP parsers, decompression and TLS: no answer of the tool, whatever was sent. */
const TRANSPORT = /^(?:E[A-Z0-9]{3,}|EAI_\w+|(?:UND_ERR|HPE|Z|ERR|CERT|DEPTH)_\w+)$/;
const TIMEOUT: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** A code may stand on the error or, as with fetch, on its cause. */
function codeOf(error: unknown): string | undefined {
  const code = property(error, "code") ?? property(property(error, "cause"), "code");
  return typeof code === "string" ? code : undefined;
}

function isTimeout(error: unknown, code: string | undefined): boolean {
  return property(error, "name") === "TimeoutError" || (code !== undefined && TIMEOUT.has(code));
}

/** Reads what an error that a call threw says: its status, its code, whether anything was sent. */
export function failureOf(cause: unknown, isOwnTimeout: boolean): CallFailure {
  const code = codeOf(cause);
  const given = property(cause, "sent");
  const sent = typeof given === "boolean" ? given : code === undefined || !NEVER_SENT.has(code);
  if (isOwnTimeout || isTimeout(cause, code))
    return { cause, outcome: { kind: "timeout", sent }, tokens: ["timeout", ...(code === undefined ? [] : [code])] };
  const status = property(cause, "status");
  const known = typeof status === "number" ? status : undefined;
  const isNetwork = code !== undefined && TRANSPORT.test(code);
  const isTransport = code === "transport_error" || property(cause, "source") === "transport_error";
  const message = property(cause, "message");
  const outcome = {
    kind: "error" as const,
    sent,
    ...(known === undefined ? {} : { status: known }),
    // A code of the network is no answer of the tool.
    ...(code === undefined || isNetwork || isTransport ? {} : { code }),
    ...(typeof message === "string" ? { message } : {}),
  };
  const tokens = [
    ...(known === undefined ? [] : [String(known), `${String(known)[0]}xx`]),
    ...(code === undefined ? [] : [code]),
    ...(isNetwork ? ["network"] : []),
    ...(isTransport ? ["transport_error"] : []),
  ];
  return { cause, outcome, tokens };
}

/** Whether the retry policy of a contract names this failure. */
export function isRetried(retryOn: readonly string[], { tokens }: CallFailure): boolean {
  return retryOn.some((token) => tokens.includes(token));
}

/** How long the answer asked to wait: seconds, or a date; null where it did not. */
export function retryAfterMs(cause: unknown, now: number): number | null {
  const headers = property(cause, "headers");
  const asked =
    property(cause, "retryAfter") ??
    (headers instanceof Headers ? headers.get("retry-after") : property(headers, "retry-after"));
  if (typeof asked === "number") return Math.max(0, asked * 1000);
  if (typeof asked !== "string") return null;
  if (/^[0-9]+$/.test(asked.trim())) return Number(asked) * 1000;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
