import type { Client, Pool } from "pg";
import { foreignProperty } from "../../base/foreign-value.js";
import type { Migration, SchemaMode } from "../schema.js";
import { StoreError } from "../store-error.js";
import { postgresFailure, wasTakenBack } from "./postgres-failure.js";
import type { Statement } from "./statements.js";

/** How a server is used. */
export interface PostgresSetting {
  readonly url: string;
  readonly shown: string;
  readonly timeoutMs: number;
  readonly pollMs: number;
  readonly connections: number;
  readonly preparesStatements: boolean;
  readonly migrations: readonly Migration[];
  readonly mode: SchemaMode;
}

/** A connection of its own; the types of the driver do not know that it may be left out of what keeps a process alive. */
export type OwnClient = Client & { readonly ref?: () => void; readonly unref?: () => void };

export type Row = Readonly<Record<string, unknown>>;

/** How often something that only reads is tried again when the server could not serialize it with what others did. */
const READ_ATTEMPTS = 5;

/** The client waits a little longer than the server may take, so that it is the server that ends a statement where it knows the limit. */
const GRACE_MS = 500;

async function loadDriver() {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    const code = foreignProperty(cause, "code");
    if (code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new StoreError("driver_missing", "postgres stores need the package `pg`: npm install pg");
  }
}

/** Connections to a server, each used for one statement at a time. */
export class PostgresDatabase {
  private readonly running = new Set<Promise<unknown>>();

  private constructor(
    readonly setting: PostgresSetting,
    private readonly pool: Pool,
    private readonly newClient: () => OwnClient,
  ) {
    // Idle connections that break are replaced by the pool; without a listener they would end the process.
    pool.on("error", () => {});
  }

  /** Connects to nothing yet. */
  static async of(setting: PostgresSetting): Promise<PostgresDatabase> {
    const { Pool, Client } = await loadDriver();
    const { url, timeoutMs, connections, preparesStatements } = setting;
    const config = {
      connectionString: url,
      fallback_application_name: "contract-guard",
      connectionTimeoutMillis: timeoutMs,
      // Poolers refuse connections that come with settings of their own.
      ...(preparesStatements ? { statement_timeout: timeoutMs } : {}),
      query_timeout: timeoutMs + GRACE_MS,
      keepAlive: true,
    };
    const pool = new Pool({ ...config, max: connections, allowExitOnIdle: true });
    return new PostgresDatabase(setting, pool, () => new Client(config));
  }

  /** A connection outside the pool, not yet made. */
  client(): OwnClient {
    return this.newClient();
  }

  /** Runs a statement once. What the driver throws is passed on as it is. */
  async attempt({ name, text }: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    const { preparesStatements } = this.setting;
    const query = this.pool.query({ text, values: [...values], ...(preparesStatements ? { name } : {}) });
    this.running.add(query);
    try {
      return (await query).rows;
    } finally {
      this.running.delete(query);
    }
  }

  /** Runs a statement that may be repeated. */
  async query(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(statement, values);
      } catch (cause) {
        if (attempt < READ_ATTEMPTS && wasTakenBack(cause)) continue;
        throw this.failure(cause);
      }
    }
  }

  failure(cause: unknown): StoreError {
    return postgresFailure(this.setting.shown, cause);
  }

  /** Waits for what is under way first: the pool would forget what still waits for a connection. */
  async close(): Promise<void> {
    await Promise.allSettled(this.running);
    await this.pool.end();
  }
}
