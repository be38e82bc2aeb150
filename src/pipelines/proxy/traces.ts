import type { Clock } from "../../guard/public.js";
import { checkEndpoint, type ProxyEndpoint } from "./proxy-endpoint.js";
import { checkClock, checkSignal, checkThrottle, checkTimeout, type ThrottleLimit } from "./proxy-options.js";
import { TraceQueue } from "./trace-queue.js";

/** The events that the side channel takes. */
export const TRACE_TYPES: ReadonlySet<string> = new Set([
  "assistant_message",
  "thinking",
  "system_prompt",
  "custom",
  "handoff",
  "subagent_message",
  "subagent_final",
]);

/** How a tracer is made. */
export interface TracerSetting extends ProxyEndpoint {
  /** Time for each event; 5000 unless given. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Given, events count against the limit of the token together with its tool calls. */
  readonly throttle?: ThrottleLimit | false;
}

/** Tells the platform what happens during a run. An event that does not arrive never fails the run. */
export interface Tracer {
  /** Queues an event and returns at once; throws only for a type that does not exist. */
  readonly trace: (type: string, payload: object) => void;
  /** Queues the event of one sub-agent handing over to another. */
  readonly handoff: (payload: object) => void;
  /** Waits until all events so far are out, at most `withinMs` (5000 unless given); the rest are then given up. */
  readonly flush: (withinMs?: number) => Promise<void>;
  /** How many events did not arrive. */
  readonly failures: number;
  /** Why the latest of them did not, in a word or two that quote nothing. */
  readonly lastFailure: string | null;
}

const TIMEOUT_MS = 5000;

/** Makes the side channel of one run. Events go out one at a time: two under way could arrive in the wrong order. */
export function createTracer(setting: TracerSetting): Tracer {
  const { proxyUrl, runToken, timeoutMs = TIMEOUT_MS, signal, throttle = false } = setting;
  const clock = checkClock(setting.clock);
  const queue = new TraceQueue({
    ...checkEndpoint({ proxyUrl, runToken }),
    runToken,
    timeoutMs: checkTimeout(timeoutMs),
    signals: signal === undefined ? [] : [checkSignal(signal)],
    clock,
    perMinute: checkThrottle(throttle),
  });
  const trace = (type: string, payload: object) => {
    if (!TRACE_TYPES.has(type)) throw new TypeError(`the type of an event is one of ${[...TRACE_TYPES].join(", ")}`);
    queue.add(type, payload);
  };
  return {
    trace,
    handoff: (payload) => trace("handoff", payload),
    flush: (withinMs = TIMEOUT_MS) => queue.flush(withinMs),
    get failures() {
      return queue.failures;
    },
    get lastFailure() {
      return queue.lastFailure;
    },
  };
}
