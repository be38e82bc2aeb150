import { backoff } from "../../base/backoff.js";
import type { StreamChange } from "../../guard/durable-store.js";
import type { OwnClient, PostgresDatabase } from "./database.js";
import { codeOf } from "./postgres-failure.js";
import { CHANNEL } from "./statements.js";

/** Of random length: after a restart of the server not all come back at the same moment. */
const BETWEEN_ATTEMPTS = { firstMs: 75, longestMs: 5_000, spread: 1 / 3 };

/** What servers answer that have no LISTEN: feature_not_supported, syntax_error. */
const UNSUPPORTED: readonly string[] = ["0A000", "42601"];

interface Heard {
  readonly change: (change: StreamChange) => void;
  /** It listens again; announcements may have been missed meanwhile. */
  readonly back: () => void;
}

/** A connection that only listens to what others announce, made again whenever it breaks. */
export class Listener {
  private client: OwnClient | null = null;
  private timer: NodeJS.Timeout | undefined;
  /** Since it last listened. */
  private failures = 0;
  private isOn = false;
  private first: Promise<void> | null = null;
  isListening = false;

  constructor(
    private readonly database: PostgresDatabase,
    private readonly heard: Heard,
  ) {}

  /** Answers after the first attempt, however it ended. */
  start(): Promise<void> {
    this.isOn = true;
    this.first ??= this.connect();
    return this.first;
  }

  async stop(): Promise<void> {
    this.isOn = false;
    this.isListening = false;
    clearTimeout(this.timer);
    await this.first;
    this.first = null;
    const { client } = this;
    this.client = null;
    // Who closes a store waits for it, so that the process lives until then.
    client?.ref?.();
    await client?.end().catch(() => {});
  }

  private async connect(): Promise<void> {
    const client = this.database.client();
    // Broken before or after it is used: both end here, and only once.
    client.on("error", () => this.lost(client));
    client.on("end", () => this.lost(client));
    this.client = client;
    try {
      await client.connect();
      const { rows } = await client.query("select current_schema() as schema");
      const schema: unknown = rows[0]?.schema;
      client.on("notification", ({ payload }) => this.receive(schema, payload));
      await client.query(`listen ${CHANNEL}`);
      // A watch alone must not keep the process alive.
      client.unref?.();
      this.isListening = true;
      this.failures = 0;
      this.heard.back();
    } catch (cause) {
      if (UNSUPPORTED.includes(codeOf(cause))) this.isOn = false;
      this.lost(client);
    }
  }

  private lost(client: OwnClient): void {
    if (this.client !== client) return;
    this.client = null;
    this.isListening = false;
    client.end().catch(() => {});
    if (!this.isOn) return;
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), backoff(this.failures, BETWEEN_ATTEMPTS));
    this.timer.unref();
  }

  private receive(schema: unknown, payload: string | undefined): void {
    const change = changeOf(schema, payload);
    if (change !== null) this.heard.change(change);
  }
}

/** Anyone may announce anything on a channel; what is not for this store is ignored. */
function changeOf(schema: unknown, payload = ""): StreamChange | null {
  try {
    const [of, stream, revision]: unknown[] = JSON.parse(payload);
    if (of !== schema || typeof stream !== "string" || !Number.isSafeInteger(revision)) return null;
    return { stream, revision: Number(revision) };
  } catch {
    return null;
  }
}
