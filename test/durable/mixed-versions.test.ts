import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { MIGRATIONS, type Migration } from "../../src/stores/schema.js";
import type { WorkerSetting } from "../../src/stores/sqlite/messages.js";
import { migrateSqlite, SqliteStore } from "../../src/stores/sqlite/sqlite-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { REPOSITORY } from "../support/run-cli.js";
import { storeFolder } from "../support/store-folder.js";
import { artifactFile, paymentsArtifact } from "./payments.js";
import { BOUNDS, SESSION, Teller } from "./teller.js";
import { startWorker } from "./worker.js";

const BUILT = join(REPOSITORY, "dist/bundle");
const VERSION = "RECORD_VERSION = 1;";

/** A copy of the built guard that writes records of a given version. */
function builtGuard(folder: string, version: number): string {
  const copy = join(folder, `version-${version}-${readdirSync(folder).length}`);
  mkdirSync(copy);
  let changed = 0;
  for (const file of readdirSync(BUILT).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(join(BUILT, file), "utf8");
    if (text.includes(VERSION)) changed += 1;
    writeFileSync(join(copy, file), text.replaceAll(VERSION, `RECORD_VERSION = ${version};`));
  }
  if (changed === 0) throw new Error("the version of records is nowhere in the built package");
  writeFileSync(join(copy, "package.json"), '{ "type": "module" }');
  symlinkSync(join(REPOSITORY, "node_modules"), join(copy, "node_modules"));
  return pathToFileURL(join(copy, "guard.js")).href;
}

type Step = readonly [version: "old" | "new", step: "pay" | "fill" | "open" | "calls"];

/** What guards of both versions say to these steps, in this order. */
async function playing(url: string, newVersion: number, steps: readonly Step[]): Promise<readonly string[]> {
  const folder = storeFolder();
  const packages = { old: builtGuard(folder, 1), new: builtGuard(folder, newVersion) };
  const work = { url, packages, artifact: artifactFile(paymentsArtifact(BOUNDS)), session: SESSION, steps };
  const worker = startWorker("versions-worker", work);
  expect(await worker.ended).toEqual({ code: 0, signal: null, stderr: "" });
  return worker.lines;
}

const REFUSED = /^old open .*its version 2 is later than 1, the latest known one/;

describe.each([
  { kind: "sqlite", isMissing: false, newUrl: async () => `sqlite:${join(storeFolder(), "guard.db")}` },
  { kind: `postgres${POSTGRES_MISSING}`, isMissing: POSTGRES === null, newUrl: () => newSchema() },
])("an older and a newer guard on one session, on $kind", ({ isMissing, newUrl }) => {
  it.skipIf(isMissing)("take turns where both write the same records", async () => {
    const turns: readonly Step[] = Array.from({ length: 12 }, (_, index) => [index % 2 === 0 ? "old" : "new", "pay"]);
    const said = await playing(await newUrl(), 1, [...turns, ["old", "calls"], ["new", "calls"]]);
    expect(said).toEqual([...turns.map(([version]) => `${version} pay paid`), "old calls 12", "new calls 12"]);
  });

  it.skipIf(isMissing)("the older blocks once there are records that it does not know, the newer goes on", async () => {
    const said = await playing(await newUrl(), 2, [
      ["old", "pay"],
      ["new", "calls"],
      ["new", "pay"],
      ["old", "pay"],
      ["old", "open"],
      ["new", "pay"],
      ["new", "calls"],
    ]);
    const [first, read, ...rest] = said;
    expect([first, read]).toEqual(["old pay paid", "new calls 1"]);
    expect(rest).toEqual([
      ...["new pay paid", "old pay store_unavailable"],
      expect.stringMatching(REFUSED),
      ...["new pay paid", "new calls 3"],
    ]);
  });

  it.skipIf(isMissing)("the older refuses a snapshot of the newer by its version too", async () => {
    const said = await playing(await newUrl(), 2, [
      ["new", "fill"],
      ["old", "open"],
      ["new", "calls"],
    ]);
    const [, calls] = /^new fill (\d+)$/.exec(said[0] ?? "") ?? [];
    expect(said.slice(1)).toEqual([expect.stringMatching(REFUSED), `new calls ${calls}`]);
  });
});

const ADDED = "create table if not exists contract_guard_added (id integer primary key)";
const SECOND: Migration = { version: 2, sqlite: [ADDED], postgres: [ADDED] };

describe("a session in a store with an older schema", () => {
  it("is refused until it is migrated, and then goes on; the older code is refused by name", async () => {
    const path = join(storeFolder(), "guard.db");
    const before = await Teller.open(await openStore(`sqlite:${path}`));
    expect(await before.pay()).toBe("paid");
    await before.store.close();
    const setting: WorkerSetting = {
      ...({ path, shown: `sqlite:${path}`, synchronous: "full", timeoutMs: 5_000, pollMs: 25, creates: true } as const),
      ...({ mode: "create", migrations: [...MIGRATIONS, SECOND] } as const),
    };
    const openLater = async (): Promise<DurableStore> => {
      const store = await SqliteStore.open(setting, Date.now);
      onTestFinished(() => store.close());
      return store;
    };
    await expect(openLater()).rejects.toMatchObject({ code: "schema_outdated" });
    await migrateSqlite(setting);
    const after = await Teller.open(await openLater());
    expect(after.guard.state()).toMatchObject({ toolCalls: 1 });
    expect(await after.pay()).toBe("paid");
    await expect(openStore(`sqlite:${path}`)).rejects.toMatchObject({
      code: "schema_unknown",
      message: expect.stringMatching(/has schema 2, .* knows up to 1/),
    });
  });
});
