import type { Clock } from "../../guard/public.js";
import { checkEndpoint, type ProxyEndpoint } from "./proxy-endpoint.js";
import { checkClock, checkSignal, checkThrottle, checkTimeout, type ThrottleLimit } from "./proxy-options.js";
import { TraceQueue } from "./trace-queue.js";

/** The types of events that the side channel accepts. */
const TRACE_TYPES: ReadonlySet<string> = new Set([
  "assistant_message",
  "thinking",
  "system_prompt",
  "custom",
  "handoff",
  "subagent_message",
  "subagent_final",
]);

/** The options of a tracer. */
export interface TracerSetting extends ProxyEndpoint {
  /** The time limit of each event; 5000 by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** If given, events count against the limit of the token together with its tool calls. */
  readonly throttle?: ThrottleLimit | false;
}

/** Reports to the platform what happens during a run. An event that does not arrive never fails the run. */
export interface Tracer {
  /** Queues an event and returns at once; throws only for a type that does not exist. */
  readonly trace: (type: string, payload: object) => void;
  /** Queues the event of a handoff from one sub-agent to another. */
  readonly handoff: (payload: object) => void;
  /** Waits until all events so far are sent, at most `withinMs` (5000 by default); then drops the rest. */
  readonly flush: (withinMs?: number) => Promise<void>;
  /** How many events did not arrive. */
  readonly failures: number;
  /** Why the latest of them did not, without quoting it. */
  readonly lastFailure: string | null;
}

const TIMEOUT_MS = 5000;

/** Makes the side channel of one run. Events are sent one at a time, so that they arrive in order. */
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
