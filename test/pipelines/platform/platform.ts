import { createServer } from "node:http";
import type { RetryAfterForm } from "./admission.js";
import { answerProxy, PROXY_PATH } from "./answer-proxy.js";
import { type AuthHeader, dispatchBody, dispatchHeaders, type EnvelopeChanges } from "./dispatch-request.js";
import { type ErrorClass, errorClassOf } from "./error-class.js";
import { type DispatchResult, type GradeOptions, grade } from "./grade.js";
import { listenOnLoopback } from "./loopback.js";
import { post } from "./post.js";
import type { ProxyBooks, Stray } from "./proxy-books.js";
import { RateLimit } from "./rate-limit.js";
import { type OpenRun, openRun, type Run, type RunOptions } from "./run.js";

export interface PlatformOptions {
  /** Per token; `Infinity` switches the limit off. */
  readonly requestsPerMinute?: number;
  /** What a 429 of the rate limit carries; none unless asked for, since the documents name none. */
  readonly retryAfter?: RetryAfterForm;
  /** The body of each refusal of the proxy itself. */
  readonly errorBody?: (code: string) => unknown;
  /** The clock of the rate limit, in milliseconds. */
  readonly now?: () => number;
}

export interface DispatchOptions extends EnvelopeChanges, GradeOptions {
  /** The run's time limit. */
  readonly timeoutMs?: number;
}

export interface PingOptions {
  readonly authHeader?: AuthHeader;
  readonly timeoutMs?: number;
}

export interface PingResult {
  readonly ok: boolean;
  readonly status: number | null;
  readonly text: string;
  readonly errorClass: ErrorClass | null;
}

/** The platform as an agent meets it: a dispatcher in front of it, a proxy for tools behind it. */
export interface Platform {
  /** The base address of the proxy without a run, as the reachability probe uses it. */
  readonly proxyBaseUrl: string;
  /** Requests to the proxy that belong to no run. */
  readonly strays: readonly Stray[];
  openRun(options?: RunOptions): Run;
  dispatch(run: Run, agentUrl: string, options?: DispatchOptions): Promise<DispatchResult>;
  ping(agentUrl: string, options?: PingOptions): Promise<PingResult>;
  /** Cuts all connections, those to agents included. */
  close(): Promise<void>;
}

const REQUESTS_PER_MINUTE = 60;
/** The platform's default for `run_timeout_s`. */
const RUN_TIMEOUT_MS = 300_000;
const PING_TIMEOUT_MS = 10_000;

function booksOf(runs: readonly OpenRun[], options: PlatformOptions): ProxyBooks {
  const { requestsPerMinute = REQUESTS_PER_MINUTE, retryAfter = "none", now = () => performance.now() } = options;
  const { errorBody = (code) => ({ code, message: `refused: ${code}` }) } = options;
  return { runs, strays: [], rateLimit: new RateLimit(requestsPerMinute, now), retryAfter, errorBody };
}

async function ping(agentUrl: string, options: PingOptions, signal: AbortSignal): Promise<PingResult> {
  const { authHeader, timeoutMs = PING_TIMEOUT_MS } = options;
  const headers = {
    "Content-Type": "application/json",
    ...(authHeader === undefined ? {} : { [authHeader.name]: authHeader.value }),
  };
  const posted = await post(agentUrl, { headers, body: '{"ping":true}', timeoutMs, signal });
  if (posted.kind === "timeout") return { ok: false, status: null, text: "", errorClass: "agent_timeout" };
  if (posted.kind === "failure") return { ok: false, status: null, text: "", errorClass: "agent_unreachable" };
  const errorClass = errorClassOf(posted.status);
  return { ok: errorClass === null, status: posted.status, text: posted.text, errorClass };
}

/** Starts a platform on a free port of this machine. */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const runs: OpenRun[] = [];
  const books = booksOf(runs, options);
  const closing = new AbortController();
  const server = createServer((request, response) => {
    answerProxy(books, request, response).catch((cause: unknown) => {
      response.destroy();
      throw cause;
    });
  });
  const proxyBaseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}${PROXY_PATH}`;
  return {
    proxyBaseUrl,
    strays: books.strays,
    openRun(runOptions = {}) {
      const run = openRun(proxyBaseUrl, runs.length + 1, runOptions);
      runs.push(run);
      return run;
    },
    async dispatch(run, agentUrl, dispatchOptions = {}) {
      const { timeoutMs = RUN_TIMEOUT_MS } = dispatchOptions;
      const headers = dispatchHeaders(run, dispatchOptions);
      const body = JSON.stringify(dispatchBody(run, dispatchOptions));
      return grade(await post(agentUrl, { headers, body, timeoutMs, signal: closing.signal }), dispatchOptions);
    },
    ping: (agentUrl, pingOptions = {}) => ping(agentUrl, pingOptions, closing.signal),
    close() {
      closing.abort();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
