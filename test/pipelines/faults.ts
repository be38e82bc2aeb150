import {
  type Behaviour,
  contentType,
  drop,
  endless,
  hang,
  malformed,
  oversized,
  respond,
  status,
  wrongEnvelope,
} from "./platform/behaviour.js";

/** What a settlement made of the reservation. */
export type Ending = "committed" | "released" | "indeterminate";

/** Something that can go wrong with a proxied call, and what the guard makes of it. */
export interface Fault {
  readonly what: string;
  /** What the proxy does with each request in turn; null where nothing listens. */
  readonly proxy: readonly Behaviour[] | null;
  /** Arguments that are larger than the proxy takes. */
  readonly isTooLarge?: true;
  /** What the caller gets, as `name code` or `name status code`; "response" where the call succeeds in the end. */
  readonly caller: string;
  /** What becomes of the reservation of a call that moves money; a `read` of unknown fate is released. */
  readonly money: Ending;
  readonly read: Ending;
}

const MIB = 1024 * 1024;
const fine = respond({ ok: true });

function refusal(code: number, money: Ending): Fault {
  const read = money === "indeterminate" ? "released" : money;
  return { what: `status ${code}`, proxy: [status(code)], caller: `ProxyError ${code}`, money, read };
}

/** One line of the table in docs/pipelines.md each. The tools have one attempt, but for 429, which is tried again twice. */
export const FAULTS: readonly Fault[] = [
  { what: "an answer", proxy: [fine], caller: "response", money: "committed", read: "committed" },
  {
    what: "429 twice, then an answer",
    proxy: [status(429, { retryAfter: 0 }), status(429), fine],
    caller: "response",
    money: "committed",
    read: "committed",
  },
  {
    what: "429 for good",
    proxy: [status(429, { retryAfter: 0 })],
    caller: "ProxyError 429",
    money: "released",
    read: "released",
  },
  { what: "nothing listens", proxy: null, caller: "ProxyError ECONNREFUSED", money: "released", read: "released" },
  {
    what: "arguments above 1 MiB",
    proxy: [fine],
    isTooLarge: true,
    caller: "ProxyError ERR_REQUEST_TOO_LARGE",
    money: "released",
    read: "released",
  },
  refusal(400, "released"),
  refusal(401, "released"),
  refusal(404, "released"),
  refusal(408, "indeterminate"),
  refusal(409, "released"),
  refusal(500, "indeterminate"),
  refusal(502, "indeterminate"),
  refusal(503, "indeterminate"),
  refusal(504, "indeterminate"),
  {
    what: "no answer in time",
    proxy: [hang()],
    caller: "ProxyError ETIMEDOUT",
    money: "indeterminate",
    read: "released",
  },
  {
    what: "an answer without end",
    proxy: [endless()],
    caller: "ProxyError ETIMEDOUT",
    money: "indeterminate",
    read: "released",
  },
  ...(["before_reply", "after_headers", "mid_body"] as const).map(
    (moment): Fault => ({
      what: `connection lost, ${moment.replace("_", " ")}`,
      proxy: [drop(moment)],
      caller: "ProxyError ECONNRESET",
      money: "indeterminate",
      read: "released",
    }),
  ),
  {
    what: "an answer above 1 MiB",
    proxy: [oversized(MIB + 1)],
    caller: "ProxyError 200 ERR_RESPONSE_TOO_LARGE",
    money: "indeterminate",
    read: "released",
  },
  {
    what: "an answer of exactly 1 MiB",
    proxy: [oversized(MIB)],
    caller: "response",
    money: "committed",
    read: "committed",
  },
  {
    what: "malformed JSON",
    proxy: [malformed()],
    caller: "ProxyError 200 ERR_MALFORMED_RESPONSE",
    money: "indeterminate",
    read: "released",
  },
  {
    what: "JSON that is not an envelope",
    proxy: [wrongEnvelope({ result: 1 })],
    caller: "ProxyError 200 ERR_MALFORMED_RESPONSE",
    money: "indeterminate",
    read: "released",
  },
  {
    what: "another content type",
    proxy: [contentType("text/html")],
    caller: "ProxyError 200 ERR_CONTENT_TYPE",
    money: "indeterminate",
    read: "released",
  },
  {
    what: "source `injected`: a simulated failure is an answer",
    proxy: [respond({ error: "card_declined" }, { source: "injected" })],
    caller: "response",
    money: "committed",
    read: "committed",
  },
  {
    what: "source `error`: the simulator gave up",
    proxy: [respond(null, { source: "error" })],
    caller: "ProxyError error",
    money: "released",
    read: "released",
  },
  {
    what: "source `transport_error`",
    proxy: [respond(null, { source: "transport_error" })],
    caller: "ProxyError transport_error",
    money: "indeterminate",
    read: "released",
  },
];
