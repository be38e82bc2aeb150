import type { Clock } from "../../guard/public.js";
import type { CallOptions } from "../../guard/wrap/call-options.js";
import { type CheckedEndpoint, checkEndpoint, type ProxyEndpoint } from "./proxy-endpoint.js";

/** When a call is retried. */
export interface RetryPolicy {
  /** Attempts in total; 4 by default. */
  readonly maxAttempts?: number;
  /** Statuses that are retried: 429, 502, 503 and 504 by default. A connection that was never made always is. */
  readonly statuses?: readonly number[];
  /** The longest wait, whatever `Retry-After` asks; 4000 by default. */
  readonly maxWaitMs?: number;
}

/** How many requests a minute the token may make. */
export interface ThrottleLimit {
  readonly perMinute: number;
}

/** The options of a proxy client. */
export interface ProxyCallSetting extends ProxyEndpoint {
  /** The acting sub-agent, for attribution. */
  readonly actorId?: string;
  /** False means one attempt. */
  readonly retry?: RetryPolicy | false;
  /**
   * The time limit of a whole call, with its retries and its wait for the throttle. Without it each attempt has 120 s of its own,
   * not counting waits.
   */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** 60 a minute by default; shared by all clients of one token. */
  readonly throttle?: ThrottleLimit | false;
}

/** The options of one call. Each replaces that of the client, except the signal, which is added to it. */
export interface ProxyCallOptions extends CallOptions {
  readonly actorId?: string;
  readonly retry?: RetryPolicy | false;
  readonly timeoutMs?: number;
}

/** A retry policy with its defaults. */
export interface CheckedRetry {
  readonly maxAttempts: number;
  readonly statuses: ReadonlySet<number>;
  readonly maxWaitMs: number;
}

/** The options that a call can have of its own. */
export interface CheckedCallOptions {
  readonly actorId: string | undefined;
  readonly retry: CheckedRetry;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The options of a client, checked and with defaults. */
export interface CheckedSetting extends CheckedEndpoint, CheckedCallOptions {
  readonly runToken: string;
  readonly clock: Clock;
  readonly perMinute: number | null;
}

const STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const ONCE: CheckedRetry = { maxAttempts: 1, statuses: new Set(), maxWaitMs: 0 };
const DEFAULT_RETRY: CheckedRetry = { maxAttempts: 4, statuses: STATUSES, maxWaitMs: 4000 };
const SYSTEM_CLOCK: Clock = { now: () => Date.now() };

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function positiveInteger(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`\`${name}\` must be a whole number above zero`);
}

function statusesOf(value: unknown): ReadonlySet<number> {
  const isStatus = (item: unknown): item is number =>
    typeof item === "number" && Number.isInteger(item) && item >= 400 && item <= 599;
  if (Array.isArray(value) && value.every(isStatus)) return new Set(value);
  throw new TypeError("`retry.statuses` must be a list of statuses from 400 to 599");
}

function waitOf(value: unknown): number {
  if (typeof value === "number" && value >= 0) return value;
  throw new TypeError("`retry.maxWaitMs` must be a number of milliseconds");
}

function retryOf(value: unknown): CheckedRetry {
  if (value === false) return ONCE;
  if (!isObject(value)) throw new TypeError("`retry` must be false or an object");
  const maxAttempts: unknown = Reflect.get(value, "maxAttempts");
  const statuses: unknown = Reflect.get(value, "statuses");
  const maxWaitMs: unknown = Reflect.get(value, "maxWaitMs");
  return {
    maxAttempts:
      maxAttempts === undefined ? DEFAULT_RETRY.maxAttempts : positiveInteger("retry.maxAttempts", maxAttempts),
    statuses: statuses === undefined ? DEFAULT_RETRY.statuses : statusesOf(statuses),
    maxWaitMs: maxWaitMs === undefined ? DEFAULT_RETRY.maxWaitMs : waitOf(maxWaitMs),
  };
}

/** The proxy checks the grammar of labels; here the value only has to fit into a header. */
export function checkActorId(value: unknown): string {
  if (typeof value === "string" && /^[!-~](?:[ -~]*[!-~])?$/.test(value)) return value;
  throw new TypeError("`actorId` must be a string of visible ASCII characters");
}

/** Checks a time limit. */
export function checkTimeout(value: unknown): number {
  if (typeof value === "number" && value > 0) return value;
  throw new TypeError("`timeoutMs` must be a number of milliseconds above zero");
}

export function checkSignal(value: unknown): AbortSignal {
  if (value instanceof AbortSignal) return value;
  throw new TypeError("`signal` must be an AbortSignal");
}

type Defaults = Omit<CheckedCallOptions, "signal">;

/** Checks the options of a call; the defaults are those of the client. */
export function checkCallOptions(options: CallOptions, defaults: Defaults): CheckedCallOptions {
  const { actorId, retry, timeoutMs, signal } = options;
  return {
    actorId: actorId === undefined ? defaults.actorId : checkActorId(actorId),
    retry: retry === undefined ? defaults.retry : retryOf(retry),
    timeoutMs: timeoutMs === undefined ? defaults.timeoutMs : checkTimeout(timeoutMs),
    signal: signal === undefined || signal === null ? undefined : checkSignal(signal),
  };
}

/** How many requests a minute; null for no limit. */
export function checkThrottle(throttle: ThrottleLimit | false): number | null {
  if (throttle === false) return null;
  if (!isObject(throttle)) throw new TypeError("`throttle` must be false or an object");
  return positiveInteger("throttle.perMinute", throttle.perMinute);
}

export function checkClock(clock: Clock = SYSTEM_CLOCK): Clock {
  if (isObject(clock) && typeof clock.now === "function") return clock;
  throw new TypeError("`clock` must be an object with `now()`");
}

/** Checks the options of a client: one that could not work, or would leak the token, does not start. */
export function checkSetting(setting: ProxyCallSetting): CheckedSetting {
  const { proxyUrl, runToken, actorId, retry, timeoutMs, signal, throttle = { perMinute: 60 } } = setting;
  const own = { actorId, retry, timeoutMs, ...(signal === undefined ? {} : { signal }) };
  return {
    ...checkEndpoint({ proxyUrl, runToken }),
    ...checkCallOptions(own, { actorId: undefined, retry: DEFAULT_RETRY, timeoutMs: undefined }),
    runToken,
    clock: checkClock(setting.clock),
    perMinute: checkThrottle(throttle),
  };
}
