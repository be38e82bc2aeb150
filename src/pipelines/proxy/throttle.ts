import type { Clock } from "../../guard/public.js";

const MINUTE_MS = 60_000;
/** Old times are dropped in batches: shifting a long list one by one is slow. */
const BATCH = 1024;

interface Waiting {
  readonly perMinute: number;
  readonly admit: () => void;
}

/** The requests of one token in the last minute, and those in the queue. */
class Window {
  private times: number[] = [];
  private first = 0;
  private readonly queue: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly clock: Clock) {}

  /** Undefined if the request may go at once, without a turn of the event loop. */
  enter(perMinute: number, signal: AbortSignal): Promise<void> | undefined {
    if (this.queue.length === 0 && this.delay(perMinute) === 0) {
      this.times.push(this.clock.now());
      return undefined;
    }
    return this.wait(perMinute, signal);
  }

  /** Whether nothing waits and no request counts any more. */
  get isIdle(): boolean {
    this.forget(this.clock.now());
    return this.queue.length === 0 && this.first === this.times.length;
  }

  private wait(perMinute: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(signal.reason);
        this.advance();
      };
      const admit = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const waiting = { perMinute, admit };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      this.queue.push(waiting);
      this.advance();
    });
  }

  /** Admits the head of the queue, and sets a timer for the next one. */
  private advance(): void {
    clearTimeout(this.timer);
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      const delay = this.delay(next.perMinute);
      if (delay > 0) {
        this.timer = setTimeout(() => this.advance(), delay);
        return;
      }
      this.times.push(this.clock.now());
      this.queue.shift();
      next.admit();
    }
  }

  /** How long until one more request keeps to the limit. */
  private delay(perMinute: number): number {
    const now = this.clock.now();
    this.forget(now);
    const oldest = this.times[this.times.length - perMinute];
    if (oldest === undefined || this.times.length - this.first < perMinute) return 0;
    return oldest + MINUTE_MS - now;
  }

  private forget(now: number): void {
    // A clock that was set back must not hold requests for longer than a minute.
    if ((this.times.at(-1) ?? now) > now) this.times = this.times.map((time) => Math.min(time, now));
    while (this.first < this.times.length && (this.times[this.first] ?? now) <= now - MINUTE_MS) this.first++;
    if (this.first === 0 || (this.first < BATCH && this.first < this.times.length)) return;
    this.times = this.times.slice(this.first);
    this.first = 0;
  }
}

/** One request of one token to be sent. */
export interface Turn {
  readonly token: string;
  readonly perMinute: number;
  /** Used for the first request of a token; later ones use the same clock. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Limits the requests of each token per minute, and queues the others in their order. */
export class Throttle {
  private readonly windows = new Map<string, Window>();

  /** Admits a request at once, or returns a promise of its turn; that rejects with the reason of the signal. */
  enter({ token, perMinute, clock, signal }: Turn): Promise<void> | undefined {
    return (this.windows.get(token) ?? this.open(token, clock)).enter(perMinute, signal);
  }

  /** How many tokens are remembered: a token is forgotten a while after its last request. */
  get size(): number {
    return this.windows.size;
  }

  private open(token: string, clock: Clock): Window {
    const window = new Window(clock);
    this.windows.set(token, window);
    const forgetWhenIdle = setInterval(() => {
      if (!window.isIdle) return;
      this.windows.delete(token);
      clearInterval(forgetWhenIdle);
    }, MINUTE_MS);
    forgetWhenIdle.unref();
    return window;
  }
}

/** Shared by all clients, because the proxy counts by token and not by client. */
export const sharedThrottle = new Throttle();
