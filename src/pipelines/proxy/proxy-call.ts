import { backoff } from "../../base/backoff.js";
import { retryAfterMs } from "../../guard/wrap/call-failure.js";
import type { CallOptions, ProxyCall } from "../../guard/wrap/call-options.js";
import { CallScope } from "../../guard/wrap/call-scope.js";
import { pause } from "../../guard/wrap/pause.js";
import { interruption } from "./interruption.js";
import { type Attempt, ProxyError } from "./proxy-error.js";
import {
  type CheckedCallOptions,
  type CheckedRetry,
  type CheckedSetting,
  checkCallOptions,
  checkSetting,
  type ProxyCallSetting,
} from "./proxy-options.js";
import { type ProxyRequest, proxyRequest, unsendable } from "./proxy-request.js";
import { sendOnce } from "./send-once.js";
import { sharedThrottle } from "./throttle.js";

/** As in the reference client; a sandboxed tool may take 20 s. */
const ATTEMPT_MS = 120_000;
/** The wait before the first retry; `maxWaitMs` bounds the later ones. */
const FIRST_WAIT_MS = 500;

/** Whether the tool may have run although the attempt failed. */
function mayHaveRun({ sent, status, source }: ProxyError): boolean {
  if (!sent || source === "error") return false;
  return status === undefined || status < 400 || status >= 500 || status === 408;
}

/** A lost connection or a timeout is not retried: the tool may have run. */
function isRetryable({ sent, status }: ProxyError, { statuses }: CheckedRetry): boolean {
  return !sent || (status !== undefined && statuses.has(status));
}

/** One call with all its attempts. */
class RunningCall {
  private readonly scope: CallScope;
  private readonly deadline: number | null;
  /** The latest failure after which the tool may have run; a later refusal does not undo that. */
  private doubtful: ProxyError | null = null;

  constructor(
    private readonly setting: CheckedSetting,
    private readonly request: ProxyRequest,
    private readonly options: CheckedCallOptions,
  ) {
    const { timeoutMs } = options;
    this.scope = new CallScope([setting.signal, options.signal].filter((signal) => signal !== undefined));
    this.deadline = timeoutMs === undefined ? null : setting.clock.now() + timeoutMs;
    if (timeoutMs !== undefined) this.scope.limit(timeoutMs);
  }

  async run(): Promise<unknown> {
    const { tool } = this.request;
    try {
      for (let number = 1; ; number++) {
        const attempt = { tool, number };
        const result = await this.attempt(attempt);
        if (!(result instanceof ProxyError)) return result.response;
        await this.prepareNext(attempt, result);
      }
    } finally {
      this.scope.close();
    }
  }

  private async attempt(attempt: Attempt): Promise<{ readonly response: unknown } | ProxyError> {
    await this.admission(attempt);
    if (this.deadline === null) this.scope.limit(ATTEMPT_MS);
    try {
      return { response: await sendOnce(this.request, attempt, this.scope.signal) };
    } catch (cause) {
      if (cause instanceof ProxyError) return cause;
      throw cause;
    } finally {
      if (this.deadline === null) this.scope.unlimit();
    }
  }

  /** Waits until the throttle admits one more request of this token. */
  private async admission(attempt: Attempt): Promise<void> {
    const { runToken: token, clock, perMinute } = this.setting;
    const { signal } = this.scope;
    try {
      signal.throwIfAborted();
      if (perMinute !== null) await sharedThrottle.enter({ token, perMinute, clock, signal });
    } catch (cause) {
      throw interruption(attempt, cause, this.doubtful !== null);
    }
  }

  /** Waits before the next attempt; throws if there is none. */
  private async prepareNext(attempt: Attempt, failure: ProxyError): Promise<void> {
    const { retry } = this.options;
    const { signal } = this.scope;
    if (mayHaveRun(failure)) this.doubtful = failure;
    const now = this.setting.clock.now();
    const { maxWaitMs: longestMs } = retry;
    const growing = backoff(attempt.number, { firstMs: FIRST_WAIT_MS, longestMs });
    const wait = Math.min(retryAfterMs(failure, now) ?? growing, longestMs);
    const isLast = attempt.number >= retry.maxAttempts || signal.aborted || !isRetryable(failure, retry);
    if (isLast || (this.deadline !== null && now + wait >= this.deadline)) throw this.doubtful ?? failure;
    try {
      await pause(wait, signal);
    } catch (cause) {
      throw interruption(attempt, cause, this.doubtful !== null);
    }
  }
}

/** Invalid options end a call before it is sent, as a wrong argument does. */
function callOptionsOf(options: CallOptions | undefined, setting: CheckedSetting): CheckedCallOptions {
  const { actorId, retry, timeoutMs } = setting;
  if (options === undefined) return { actorId, retry, timeoutMs, signal: undefined };
  try {
    return checkCallOptions(options, setting);
  } catch (cause) {
    if (cause instanceof TypeError) throw unsendable("ERR_CALL_OPTIONS", cause.message);
    throw cause;
  }
}

/**
 * Makes a function that sends tool calls to the proxy of one run and returns their unwrapped responses. Failures are thrown as a
 * `ProxyError`. A call may have its own `actorId`, `retry`, `timeoutMs` and `signal` (`ProxyCallOptions`).
 */
export function createProxyCall(options: ProxyCallSetting): ProxyCall {
  const setting = checkSetting(options);
  return async (tool, args, given) => {
    const own = callOptionsOf(given, setting);
    const request = proxyRequest(setting, { tool, args, actorId: own.actorId });
    return new RunningCall(setting, request, own).run();
  };
}
