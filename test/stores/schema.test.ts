import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { migrateStore, openStore } from "../../src/stores/open-store.js";
import type { PostgresSetting } from "../../src/stores/postgres/database.js";
import { migratePostgres, PostgresStore } from "../../src/stores/postgres/postgres-store.js";
import { MIGRATIONS, type Migrated, type Migration } from "../../src/stores/schema.js";
import type { WorkerSetting } from "../../src/stores/sqlite/messages.js";
import { migrateSqlite, SqliteStore } from "../../src/stores/sqlite/sqlite-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { runSql } from "../support/postgres-server.js";
import { waitForCli } from "../support/run-cli.js";
import { storeFolder } from "../support/store-folder.js";
import { dataOf, one } from "../support/store-writes.js";

const ADDED = "create table if not exists contract_guard_added (id integer primary key)";
const SECOND: Migration = { version: 2, sqlite: [ADDED], postgres: [ADDED] };

/** What the next version of the code would do with a store. */
interface Later {
  readonly open: () => Promise<DurableStore>;
  readonly migrate: () => Promise<Migrated>;
}

interface Kind {
  readonly newUrl: () => Promise<string>;
  readonly later: (url: string, migrations: readonly Migration[]) => Later;
}

const sqlite: Kind = {
  newUrl: async () => `sqlite:${join(storeFolder(), "guard.db")}`,
  later(url, migrations) {
    const path = url.slice("sqlite:".length);
    const setting: WorkerSetting = {
      path,
      shown: url,
      synchronous: "full",
      timeoutMs: 5_000,
      pollMs: 25,
      creates: true,
      mode: "create",
      migrations,
    };
    return { open: () => SqliteStore.open(setting, Date.now), migrate: () => migrateSqlite(setting) };
  },
};

const postgres: Kind = {
  newUrl: () => newSchema(),
  later(url, migrations) {
    const setting: PostgresSetting = {
      url,
      shown: "postgres://shown",
      timeoutMs: 5_000,
      pollMs: 200,
      connections: 4,
      preparesStatements: true,
      mode: "create",
      migrations,
    };
    return { open: () => PostgresStore.open(setting), migrate: () => migratePostgres(setting) };
  },
};

function describeSchema({ newUrl, later }: Kind): void {
  it("is set up by whoever opens the store first, and many may be the first", { timeout: 60_000 }, async () => {
    const url = await newUrl();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(url, { timeoutMs: 20_000 })));
    const kinds = await Promise.all(stores.map((store, index) => store.append(`id-${index}`, [one("s", 0)])));
    expect(kinds.filter(({ kind }) => kind === "appended")).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
    expect(await migrateStore(url)).toEqual({ from: 1, to: 1 });
  });

  it("that is older is refused by name until it is migrated, and nothing is lost", async () => {
    const url = await newUrl();
    const before = await openStore(url);
    await before.append("1", [one("s", 0)]);
    await before.close();
    const next = later(url, [...MIGRATIONS, SECOND]);
    await expect(next.open()).rejects.toMatchObject({
      code: "schema_outdated",
      message: expect.stringMatching(/has schema 1, .* needs 2: .*`contracts store migrate (sqlite|postgres):[^`]*`/),
    });
    expect(await next.migrate()).toEqual({ from: 1, to: 2 });
    expect(await next.migrate()).toEqual({ from: 2, to: 2 });
    const after = await next.open();
    onTestFinished(() => after.close());
    expect(await dataOf(after, "s")).toEqual(["1"]);
    expect((await after.append("2", [one("s", 1)])).kind).toBe("appended");
  });

  it("that is newer than the code is refused by name", async () => {
    const url = await newUrl();
    const next = later(url, [...MIGRATIONS, SECOND]);
    expect(await next.migrate()).toEqual({ from: null, to: 2 });
    const refusal = { code: "schema_unknown", message: expect.stringMatching(/has schema 2, .* knows up to 1/) };
    await expect(openStore(url)).rejects.toMatchObject(refusal);
    await expect(migrateStore(url)).rejects.toMatchObject(refusal);
  });

  it("stays as it was when a step fails, and the step can be taken again", async () => {
    const url = await newUrl();
    await (await openStore(url)).close();
    const broken = { version: 2, sqlite: [ADDED, "create nonsense"], postgres: [ADDED, "create nonsense"] };
    await expect(later(url, [...MIGRATIONS, broken]).migrate()).rejects.toMatchObject({ code: "store_failed" });
    const store = await openStore(url);
    await store.append("1", [one("s", 0)]);
    await store.close();
    expect(await later(url, [...MIGRATIONS, SECOND]).migrate()).toEqual({ from: 1, to: 2 });
  });
}

describe("the schema of a sqlite store", () => describeSchema(sqlite));
describe.skipIf(POSTGRES === null)(`the schema of a postgres store${POSTGRES_MISSING}`, () => describeSchema(postgres));

/** The URL of a database in an encoding, which goes with the test. */
async function databaseIn(encoding: string): Promise<string> {
  const name = `contract_guard_${encoding.toLowerCase()}_${process.pid}`;
  const server = String(POSTGRES);
  await runSql(server, `create database ${name} encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`);
  onTestFinished(async () => {
    await runSql(server, `drop database ${name} with (force)`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

describe.skipIf(POSTGRES === null)(`a database in another encoding than UTF8${POSTGRES_MISSING}`, () => {
  it("is refused where it does not have all characters", async () => {
    const refused = { code: "store_failed", message: expect.stringContaining("UTF8") };
    await expect(openStore(await databaseIn("LATIN1"))).rejects.toMatchObject(refused);
  });

  it("is used where it keeps any bytes", async () => {
    const store = await openStore(await databaseIn("SQL_ASCII"));
    await store.append("1", [one("s", 0, '"\u20ac \u{1f642}"')]);
    expect(await dataOf(store, "s")).toEqual(['"\u20ac \u{1f642}"']);
    await store.close();
  });
});

describe("contracts store migrate", () => {
  it("sets up a file once", async () => {
    const cwd = storeFolder();
    const run = (...more: readonly string[]) => waitForCli(["store", "migrate", "sqlite:./guard.db", ...more], { cwd });
    expect(await run()).toEqual({ code: 0, stdout: "sqlite:./guard.db: set up with schema 1\n", stderr: "" });
    expect((await run()).stdout).toBe("sqlite:./guard.db: already has schema 1\n");
    expect(JSON.parse((await run("--format", "json")).stdout)).toEqual({ store: "sqlite:./guard.db", from: 1, to: 1 });
  });

  it.skipIf(POSTGRES === null)(`shows no user and no password of a server${POSTGRES_MISSING}`, async () => {
    const url = new URL(await newSchema());
    url.password = "hunter2";
    const { code, stdout, stderr } = await waitForCli(["store", "migrate", url.href]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`postgres://${url.host}${url.pathname}: set up with schema 1\n`);
    await runSql(url.href, "insert into contract_guard_migrations (version) values (7)");
    const refused = await waitForCli(["store", "migrate", url.href]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("has schema 7");
    expect(refused.stderr).not.toContain("hunter2");
  });

  it("has nothing to do for a store in memory", async () => {
    expect(await waitForCli(["store", "migrate", "memory:"])).toMatchObject({ code: 2, stdout: "" });
  });
});
