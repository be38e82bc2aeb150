import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { migrateStore, openStore, type StoreOptions } from "../../src/stores/open-store.js";
import { hasWalResetFix } from "../../src/stores/sqlite/driver.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { REPOSITORY } from "../support/run-cli.js";
import { storeFolder } from "../support/store-folder.js";

const SECRET = "hunter2";

describe("opening a store", () => {
  it.each([
    ["mysql://user:hunter2@host/sessions", "store_url_invalid"],
    ["hunter2", "store_url_invalid"],
    ["", "store_url_invalid"],
    ["memory", "store_url_invalid"],
    ["sqlite:", "store_url_invalid"],
    ["sqlite::memory:", "store_url_invalid"],
    ["sqlite://host/guard.db", "store_url_invalid"],
    ["sqlite:a\0b", "store_url_invalid"],
    ["postgres://user:hunter2@host:port/sessions", "store_url_invalid"],
    ["postgres://user:12/hunter2@127.0.0.1:1/sessions", "store_url_invalid"],
    ["postgres://user:12?hunter2@127.0.0.1:1/sessions", "store_url_invalid"],
    ["postgres://user:12#hunter2@127.0.0.1:1/sessions", "store_url_invalid"],
    ["postgres://user:12@hunter2/34@127.0.0.1:1/sessions", "store_url_invalid"],
    ["postgres://user:hunter2@127.0.0.1:1/sessions?port=hunter2", "store_url_invalid"],
    ["postgres://user:hunter2@127.0.0.1:1/sessions?port=65536", "store_url_invalid"],
    ["postgres://127.0.0.1:1/sessions?user=name@server&password=hunter2", "store_unreachable"],
    ["postgres://user:hunter2@127.0.0.1:1/sessions?application_name=hunter2", "store_unreachable"],
    ["postgresql://user:hunter2@no-such-host.invalid/sessions", "store_unreachable"],
  ])("refuses %s with a clear error that holds no password", { timeout: 60_000 }, async (url, code) => {
    const failure: unknown = await openStore(url, { timeoutMs: 3_000 }).catch((cause: unknown) => cause);
    expect(failure).toMatchObject({ name: "StoreError", code });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(SECRET);
  });

  it.each([{ seal: String }, { open: String }, { seal: "x", open: String }, { seal: null, open: null }])(
    "takes `seal` and `open` together, as functions: %j",
    async (pair) => {
      await expect(openStore("memory:", pair as never)).rejects.toThrow("`seal` and `open`");
    },
  );

  it("gives guards and operators the pair that it was opened with", async () => {
    const [seal, open] = [(text: string) => text, (text: string) => text];
    for (const url of ["memory:", `sqlite:${join(storeFolder(), "guard.db")}`]) {
      const store = await openStore(url, { seal, open });
      expect(store).toMatchObject({ seal, open });
      await store.close();
    }
    const plain = await openStore("memory:");
    expect([plain.seal, plain.open]).toEqual([undefined, undefined]);
  });

  it("creates no file where it must not", async () => {
    const file = join(storeFolder(), "guard.db");
    await expect(openStore(`sqlite:${file}`, { create: false })).rejects.toMatchObject({
      code: "store_unreachable",
      message: expect.stringContaining("there is no file"),
    });
    expect(existsSync(file)).toBe(false);
  });

  it.skipIf(POSTGRES === null)(
    `holds no password where a server refuses the user or the database${POSTGRES_MISSING}`,
    async () => {
      for (const change of [(url: URL) => (url.username = "nobody"), (url: URL) => (url.pathname = "/missing")]) {
        const url = new URL(POSTGRES ?? "");
        url.password = SECRET;
        change(url);
        const failure: unknown = await openStore(url.href).catch((cause: unknown) => cause);
        expect(failure).toMatchObject({ name: "StoreError", code: "store_unreachable" });
        expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(SECRET);
      }
    },
  );

  it.each<StoreOptions>([
    { timeoutMs: 0 },
    { timeoutMs: 1.5 },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { pollMs: -1 },
  ])("refuses options that make no sense: %o", async (options) => {
    await expect(openStore(`sqlite:${join(storeFolder(), "guard.db")}`, options)).rejects.toThrow(TypeError);
  });

  it("takes the longest time that it may be given", async () => {
    const store = await openStore(`sqlite:${join(storeFolder(), "guard.db")}`, { timeoutMs: 2 ** 31 - 1000 });
    expect(await store.list()).toEqual([]);
    await store.close();
  });

  it("takes relative paths from the folder that it is given", async () => {
    const folder = storeFolder();
    expect(await migrateStore("sqlite:./guard.db", { cwd: folder })).toEqual({ from: null, to: 1 });
    expect(await migrateStore(`sqlite://${folder}/guard.db`)).toEqual({ from: 1, to: 1 });
  });

  it("uses the clock that it is given", async () => {
    for (const url of ["memory:", `sqlite:${join(storeFolder(), "guard.db")}`]) {
      const store = await openStore(url, { clock: () => 1234 });
      await store.append("1", [{ stream: "s", expectedRevision: 0, records: ["1"], head: "{}" }]);
      expect((await store.list()).map(({ updated }) => updated)).toEqual([1234]);
      await store.close();
    }
  });
});

describe("the clock of a store", () => {
  it("must be a function", async () => {
    await expect(openStore("memory:", Object({ clock: { now: Date.now } }))).rejects.toThrow(TypeError);
  });

  it("that fails keeps an append from being recorded, of all its streams", async () => {
    for (const url of ["memory:", `sqlite:${join(storeFolder(), "guard.db")}`]) {
      let asked = 0;
      const clock = () => {
        asked += 1;
        if (asked <= 2) throw new Error("no time");
        return 1234;
      };
      const store = await openStore(url, { clock });
      const writes = ["a", "b"].map((stream) => ({ stream, expectedRevision: 0, records: ["1"], head: "{}" }));
      for (let time = 1; time <= 2; time += 1) await expect(store.append("1", writes)).rejects.toThrow();
      expect(await store.list()).toEqual([]);
      expect(await store.append("1", writes)).toMatchObject({ kind: "appended" });
      await store.close();
    }
  });
});

describe("the drivers of stores", () => {
  /** The package as somebody has it who installed no driver. */
  function withoutDrivers(url: string): string {
    const folder = storeFolder();
    mkdirSync(join(folder, "package"));
    cpSync(join(REPOSITORY, "dist/bundle"), join(folder, "package/dist/bundle"), { recursive: true });
    writeFileSync(join(folder, "package/package.json"), '{ "type": "module" }');
    const script = `import { openStore } from "./package/dist/bundle/stores.js";
      const store = await openStore(${JSON.stringify(url)}).catch(({ code, message }) => console.log(code, message));
      if (store !== undefined) console.log("opened");
      await store?.close();`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: folder,
      encoding: "utf8",
    });
    return stdout + stderr;
  }

  it("are not needed for a store in memory", () => {
    expect(withoutDrivers("memory:")).toBe("opened\n");
  });

  it("are named where they are missing", () => {
    expect(withoutDrivers("postgres://127.0.0.1:1/x")).toBe(
      "driver_missing postgres stores need the package `pg`: npm install pg\n",
    );
    const sqlite = withoutDrivers("sqlite:./guard.db");
    if (isBuiltin("node:sqlite")) expect(sqlite).toBe("opened\n");
    else expect(sqlite).toContain("npm install @photostructure/sqlite");
  });

  it.each([
    ["3.7.0", false],
    ["3.44.5", false],
    ["3.44.6", true],
    ["3.45.1", false],
    ["3.49.2", false],
    ["3.50.6", false],
    ["3.50.7", true],
    ["3.51.2", false],
    ["3.51.3", true],
    ["3.52.0", true],
    ["3.53.4", true],
    ["4.0.0", true],
    ["2.8.17", false],
  ])("are refused with the SQLite that loses what two connections write: %s", (version, isSafe) => {
    expect(hasWalResetFix(version)).toBe(isSafe);
  });
});

describe.skipIf(POSTGRES === null)(`an open postgres store${POSTGRES_MISSING}`, () => {
  /** Runs a script in a process of its own that has the store of a new schema open, and watches a stream. */
  async function runWatching(script: string) {
    const stores = new URL("dist/bundle/stores.js", `file://${REPOSITORY}`).href;
    const whole = `import { openStore } from ${JSON.stringify(stores)};
      const store = await openStore(process.argv[1]);
      await store.watch("s", () => {});
      ${script}`;
    const args = ["--input-type=module", "-e", whole, await newSchema()];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
    return { status, stdout, stderr };
  }

  it.each<[string, (url: URL) => void, string]>([
    ["without encryption", (url) => url.searchParams.set("sslmode", "require"), "correct the `sslmode`"],
    [
      "without the schema",
      (url) => url.searchParams.set("options", "-c search_path=none"),
      "correct the `search_path`",
    ],
    ["without the setting", (url) => url.searchParams.set("options", "-c none=1"), "a setting or a role"],
    [
      "with a file that is not there",
      (url) => url.searchParams.set("sslrootcert", "/none.pem"),
      "no such file or socket",
    ],
  ])("says what is wrong with its address: a server %s", async (_what, change, words) => {
    const url = new URL(await newSchema());
    change(url);
    await expect(openStore(url.href)).rejects.toThrow(words);
  });

  it("does not keep a process alive that forgot to close it", async () => {
    const script = `const write = { stream: "s", expectedRevision: 0, records: ["1"], head: "{}" };
      console.log((await store.append("1", [write])).kind);`;
    expect(await runWatching(script)).toEqual({ status: 0, stdout: "appended\n", stderr: "" });
  });

  it("keeps a process alive while it is closed", async () => {
    const script = `await store.close();
      console.log("closed");`;
    expect(await runWatching(script)).toEqual({ status: 0, stdout: "closed\n", stderr: "" });
  });
});
