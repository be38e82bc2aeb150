import { setTimeout } from "node:timers/promises";
import {
  CREATE_MIGRATIONS,
  latestVersion,
  type Migrated,
  type Migration,
  pendingMigrations,
  READ_VERSION,
} from "../schema.js";
import { StoreError } from "../store-error.js";
import type { PostgresDatabase } from "./database.js";
import { codeOf, wasTakenBack } from "./postgres-failure.js";

const ATTEMPTS = 20;
const PAUSE_MS = 50;

const UNDEFINED_TABLE = "42P01";

/** What a server answers when several create the same at once: `if not exists` looks first and does not lock. */
const RACES: readonly string[] = [
  "23505", // unique_violation, in the catalog
  "42P07", // duplicate_table
  "42710", // duplicate_object
  "XX000", // tuple concurrently updated
];

async function run(database: PostgresDatabase, text: string, values: readonly unknown[] = []) {
  // Once only, so without a name.
  return database.attempt({ name: "", text }, values);
}

async function foundVersion(database: PostgresDatabase): Promise<number | null> {
  try {
    const [row] = await run(database, READ_VERSION);
    return row === undefined || row.version === null ? null : Number(row.version);
  } catch (cause) {
    if (codeOf(cause) === UNDEFINED_TABLE) return null;
    throw cause;
  }
}

/** Databases that take any text: the second one keeps bytes as they are. */
const WIDE: readonly unknown[] = ["UTF8", "SQL_ASCII"];

/** Elsewhere a single character could keep a call from being recorded after it was made. */
async function demandAnyText(database: PostgresDatabase): Promise<void> {
  const [row] = await run(database, "select current_setting('server_encoding', true) as encoding");
  const encoding = row?.encoding ?? null;
  // Some servers have one encoding only, and do not name it.
  if (encoding === null || WIDE.includes(encoding)) return;
  throw new StoreError(
    "store_failed",
    `the store ${database.setting.shown}: the encoding of its database does not have all characters: create one with UTF8`,
  );
}

/** Statement by statement: some servers allow only one change of the schema in a transaction. */
async function apply(database: PostgresDatabase, pending: readonly Migration[]): Promise<void> {
  if (pending.length > 0) await run(database, CREATE_MIGRATIONS);
  for (const { version, postgres } of pending) {
    for (const statement of postgres) await run(database, statement);
    const text = "insert into contract_guard_migrations (version) values ($1) on conflict (version) do nothing";
    await run(database, text, [version]);
  }
}

/** Creates or checks the schema; several may do so at once. */
export async function applySchema(database: PostgresDatabase): Promise<Migrated> {
  const { migrations, mode, shown } = database.setting;
  let from: number | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (attempt === 1) await demandAnyText(database);
      const found = await foundVersion(database);
      if (attempt === 1) from = found;
      await apply(database, pendingMigrations(migrations, { found, mode, shown }));
      return { from, to: latestVersion(migrations) };
    } catch (cause) {
      const isRace = RACES.includes(codeOf(cause)) || wasTakenBack(cause);
      if (!isRace || attempt === ATTEMPTS) throw database.failure(cause);
      await setTimeout(PAUSE_MS);
    }
  }
}
