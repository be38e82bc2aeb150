import type { PostgresDatabase } from "./database.js";
import { codeOf } from "./postgres-failure.js";
import { NOTIFY } from "./statements.js";

/** The least time from one announcement to the next; what comes meanwhile is announced together. */
const PAUSE_MS = 10;

/** What servers answer that have no NOTIFY: feature_not_supported, undefined_function, undefined_object. */
const UNSUPPORTED: readonly string[] = ["0A000", "42883", "42704"];

/**
 * Announces appends to others, after they are recorded and apart from them. Within the transaction of an append the server would
 * let only one commit at a time, waiting for the disk for each. What is lost here, others find by looking now and then.
 */
export class Announcer {
  private waiting = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | null = null;
  private isSupported = true;
  private sentAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly database: PostgresDatabase) {}

  announce(stream: string, revision: number): void {
    if (!this.isSupported) return;
    this.waiting.set(stream, revision);
    if (this.sending === null) this.schedule();
  }

  /** Announces what still waits. */
  async finish(): Promise<void> {
    while (this.waiting.size > 0 || this.sending !== null) {
      if (this.sending === null) this.send();
      await this.sending;
    }
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => this.send(), Math.max(0, this.sentAt + PAUSE_MS - performance.now()));
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sentAt = performance.now();
    const streams = [...this.waiting.keys()];
    const revisions = [...this.waiting.values()];
    this.waiting = new Map();
    this.sending = this.notify(streams, revisions).then(() => {
      this.sending = null;
      if (this.waiting.size > 0) this.schedule();
    });
  }

  private async notify(streams: readonly string[], revisions: readonly number[]): Promise<void> {
    try {
      await this.database.attempt(NOTIFY, [streams, revisions]);
    } catch (cause) {
      // An announcement that failed is not repeated: who watches looks by itself too.
      if (UNSUPPORTED.includes(codeOf(cause))) this.isSupported = false;
    }
  }
}
