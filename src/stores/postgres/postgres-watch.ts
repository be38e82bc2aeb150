import type { StreamChange } from "../../guard/durable-store.js";
import { storeClosed } from "../store-error.js";
import { Watchers } from "../watchers.js";
import type { PostgresDatabase } from "./database.js";
import { Listener } from "./listener.js";
import { REVISIONS } from "./statements.js";
import { nameOf } from "./stored-rows.js";

/** How often the server is asked although it announces: an announcement may be lost. */
const SAFETY_MS = 2_000;

/** Reports appends: as the server announces them or, where it does not, by polling. */
export class PostgresWatch {
  private readonly watchers = new Watchers();
  private readonly listener: Listener;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly database: PostgresDatabase) {
    this.listener = new Listener(database, {
      change: ({ stream, revision }) => this.watchers.notify(stream, revision),
      back: () => this.schedule(0),
    });
  }

  async add(stream: string, listener: (change: StreamChange) => void): Promise<() => void> {
    await this.listener.start();
    // Asked for once it listens: nothing that comes later is missed.
    const [revision = 0] = (await this.revisions([stream])).map((found) => found.revision);
    // Otherwise a closed store would be asked for ever.
    if (this.isClosed) throw storeClosed();
    const stop = this.watchers.add(stream, revision, listener);
    this.schedule();
    return stop;
  }

  notify(stream: string, revision: number): void {
    this.watchers.notify(stream, revision);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.watchers.clear();
    await this.listener.stop();
  }

  private schedule(delay = this.listener.isListening ? SAFETY_MS : this.database.setting.pollMs): void {
    clearTimeout(this.timer);
    if (this.watchers.streams.length === 0) return;
    this.timer = setTimeout(() => this.look(), delay);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    try {
      for (const { stream, revision } of await this.revisions(this.watchers.streams)) this.notify(stream, revision);
    } catch {
      // The server is unavailable; it is asked again.
    }
    this.schedule();
  }

  private async revisions(streams: readonly string[]): Promise<readonly StreamChange[]> {
    const rows = await this.database.query(REVISIONS, [streams.map((stream) => Buffer.from(stream))]);
    return rows.map((row) => ({ stream: nameOf(row.stream), revision: Number(row.revision) }));
  }
}
