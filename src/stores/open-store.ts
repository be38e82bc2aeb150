import { unreachable } from "../base/invariant.js";
import type { DurableStore } from "../guard/durable-store.js";
import { MemoryStore } from "./memory-store.js";
import type { PostgresSetting } from "./postgres/database.js";
import { migratePostgres, PostgresStore } from "./postgres/postgres-store.js";
import { MIGRATIONS, type Migrated, type SchemaMode } from "./schema.js";
import type { WorkerSetting } from "./sqlite/messages.js";
import { migrateSqlite, SqliteStore } from "./sqlite/sqlite-store.js";
import { StoreError } from "./store-error.js";
import { type StorePlace, storePlace } from "./store-url.js";

/** How a store is used; each kind ignores what it has no use for. */
export interface StoreOptions {
  /** How long one request may take: connecting, waiting for others, and the statement, each. Milliseconds, 5,000. */
  readonly timeoutMs?: number;
  /** sqlite: `full` waits for the disk at every append; `normal` may lose the last ones in a power cut. `full`. */
  readonly synchronous?: "full" | "normal";
  /** How often others' appends are looked for where nobody announces them. Milliseconds, 25 (sqlite) or 200 (postgres). */
  readonly pollMs?: number;
  /** postgres: the most connections at once, besides one that listens. 10. */
  readonly connections?: number;
  /** postgres: false behind a pooler that gives every statement another connection. true. */
  readonly preparedStatements?: boolean;
  /** memory, sqlite: what time it is, for `updated`. The clock of this machine. */
  readonly clock?: () => number;
  /** What a relative path starts from. The current folder. */
  readonly cwd?: string;
  /** false refuses where there is no store yet, and changes nothing there. true. */
  readonly create?: boolean;
  /** Encrypts what guards and operators keep in the store; `open` decrypts it. Both or neither. */
  readonly seal?: (text: string) => string | Promise<string>;
  readonly open?: (sealed: string) => string | Promise<string>;
}

/** The pair that encrypts and decrypts; empty where neither is given. */
function sealingIn({ seal, open }: StoreOptions): Pick<DurableStore, "seal" | "open"> {
  if (seal === undefined && open === undefined) return {};
  if (typeof seal === "function" && typeof open === "function") return { seal, open };
  throw new TypeError("`seal` and `open` are two functions; give both or neither");
}

function schemaMode({ create = true }: StoreOptions): SchemaMode {
  return create ? "create" : "open";
}

function whole(name: string, value: number | undefined, usual: number): number {
  if (value === undefined) return usual;
  if (Number.isSafeInteger(value) && value >= 1 && value <= 2 ** 31 - 1000) return value;
  throw new TypeError(`${name} must be a whole number from 1 on`);
}

function sqliteSetting(
  { path, shown }: StorePlace & { readonly kind: "sqlite" },
  options: StoreOptions,
): WorkerSetting {
  const { synchronous = "full" } = options;
  if (synchronous !== "full" && synchronous !== "normal") throw new TypeError('synchronous must be "full" or "normal"');
  return {
    path,
    shown,
    synchronous,
    timeoutMs: whole("timeoutMs", options.timeoutMs, 5_000),
    pollMs: whole("pollMs", options.pollMs, 25),
    migrations: MIGRATIONS,
    mode: schemaMode(options),
    creates: options.create ?? true,
  };
}

function postgresSetting(
  { url, shown }: StorePlace & { readonly kind: "postgres" },
  options: StoreOptions,
): PostgresSetting {
  return {
    url,
    shown,
    timeoutMs: whole("timeoutMs", options.timeoutMs, 5_000),
    pollMs: whole("pollMs", options.pollMs, 200),
    connections: whole("connections", options.connections, 10),
    preparesStatements: options.preparedStatements ?? true,
    migrations: MIGRATIONS,
    mode: schemaMode(options),
  };
}

/**
 * Opens the store that a URL names: `memory:`, `sqlite:./guard.db` or `postgres://user@host:5432/database`. An empty one is
 * set up; one of another version is refused. An open store does not keep the process alive, what it is asked does.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<DurableStore> {
  const sealing = sealingIn(options);
  return Object.assign(await opened(url, options), sealing);
}

async function opened(url: string, options: StoreOptions): Promise<DurableStore> {
  const { clock = Date.now, cwd = process.cwd() } = options;
  if (typeof clock !== "function") throw new TypeError("clock must be a function that returns milliseconds since 1970");
  const place = storePlace(url, cwd);
  switch (place.kind) {
    case "memory":
      return new MemoryStore(clock);
    case "sqlite":
      return SqliteStore.open(sqliteSetting(place, options), clock);
    case "postgres":
      return PostgresStore.open(postgresSetting(place, options));
    default:
      return unreachable(place);
  }
}

/** Sets up a store, or brings the schema of an older one up to date. */
export async function migrateStore(url: string, options: StoreOptions = {}): Promise<Migrated> {
  const place = storePlace(url, options.cwd ?? process.cwd());
  switch (place.kind) {
    case "memory":
      throw new StoreError("store_url_invalid", "a store in memory has no schema: name a sqlite or postgres store");
    case "sqlite":
      return migrateSqlite(sqliteSetting(place, options));
    case "postgres":
      return migratePostgres(postgresSetting(place, options));
    default:
      return unreachable(place);
  }
}
