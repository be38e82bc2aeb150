import type { Clock } from "../../guard/public.js";
import { CallScope, TimedOut } from "../../guard/wrap/call-scope.js";
import { PostFailure, post } from "../wire/http-post.js";
import type { CheckedEndpoint } from "./proxy-endpoint.js";
import { isTooLarge } from "./proxy-request.js";
import { sharedThrottle } from "./throttle.js";

/** Where events are sent, and their limits. */
export interface TraceChannel extends CheckedEndpoint {
  readonly runToken: string;
  readonly timeoutMs: number;
  readonly signals: readonly AbortSignal[];
  readonly clock: Clock;
  /** Null if events do not count against the limit of tool calls. */
  readonly perMinute: number | null;
}

interface TraceEvent {
  readonly type: string;
  readonly body: string;
}

/** Why an event did not arrive, without quoting it. */
class LostEvent extends Error {}

/** A side channel that hangs must not fill the memory. */
const MOST_QUEUED = 1000;
const MAX_REPLY_BYTES = 65_536;

/** The text of an event, with the present time in it. */
function textOf(payload: unknown, clock: Clock): string {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) throw new LostEvent("no JSON object");
  const text = JSON.stringify({ __occurred_at: new Date(clock.now()).toISOString(), ...payload });
  if (isTooLarge(text)) throw new LostEvent("too large");
  return text;
}

/** Sends events one after the other, in their order, and counts those that did not arrive. */
export class TraceQueue {
  private readonly waiting: TraceEvent[] = [];
  private sending: Promise<void> | null = null;
  private scope: CallScope | null = null;
  private lost = 0;
  private why: string | null = null;

  constructor(private readonly channel: TraceChannel) {}

  get failures(): number {
    return this.lost;
  }

  get lastFailure(): string | null {
    return this.why;
  }

  add(type: string, payload: unknown): void {
    try {
      if (this.waiting.length >= MOST_QUEUED) throw new LostEvent("too many events are queued");
      // Written at once, so that later changes of the agent to its object have no effect.
      this.waiting.push({ type, body: textOf(payload, this.channel.clock) });
    } catch (cause) {
      this.lose(cause instanceof LostEvent ? cause.message : "not JSON");
      return;
    }
    this.sending ??= this.sendAll();
  }

  async flush(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.giveUp(), withinMs);
    await this.sending;
    clearTimeout(timer);
  }

  private lose(why: string): void {
    this.lost++;
    this.why = why;
  }

  private giveUp(): void {
    this.lost += this.waiting.splice(0).length;
    this.scope?.abort(new LostEvent("given up"));
  }

  private async sendAll(): Promise<void> {
    for (let event = this.waiting.shift(); event !== undefined; event = this.waiting.shift()) {
      this.scope = new CallScope(this.channel.signals);
      const { signal } = this.scope;
      try {
        await this.send(event, this.scope);
      } catch (cause) {
        this.lose(signal.aborted ? interruptedBy(signal.reason) : failedWith(cause));
      } finally {
        this.scope.close();
        this.scope = null;
      }
    }
    this.sending = null;
  }

  private async send({ type, body }: TraceEvent, scope: CallScope): Promise<void> {
    const { base, headers, runToken: token, timeoutMs, clock, perMinute } = this.channel;
    const { signal } = scope;
    signal.throwIfAborted();
    if (perMinute !== null) await sharedThrottle.enter({ token, perMinute, clock, signal });
    scope.limit(timeoutMs);
    // Read to its end, so that the next event can use the connection.
    const wanted = () => ({ bytes: MAX_REPLY_BYTES });
    const { status } = await post({ url: `${base}/traces/${type}`, headers, body, signal }, wanted);
    if (status < 200 || status > 299) throw new LostEvent(`answered ${status}`);
  }
}

function interruptedBy(reason: unknown): string {
  if (reason instanceof LostEvent) return reason.message;
  return reason instanceof TimedOut ? "timed out" : "aborted";
}

function failedWith(cause: unknown): string {
  if (cause instanceof PostFailure) return cause.code;
  return cause instanceof LostEvent ? cause.message : "ERR_FAILED";
}
