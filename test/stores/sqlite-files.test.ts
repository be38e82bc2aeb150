import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { loadDriver } from "../../src/stores/sqlite/driver.js";
import { randomFrom } from "../support/random.js";
import { REPOSITORY } from "../support/run-cli.js";
import { seedOf } from "../support/seed.js";
import { storeFolder } from "../support/store-folder.js";
import { dataOf, eventually, one } from "../support/store-writes.js";

async function opened(path: string): Promise<DurableStore> {
  const store = await openStore(`sqlite:${path}`, { timeoutMs: 10_000 });
  onTestFinished(() => store.close());
  return store;
}

function newPath(): string {
  return join(storeFolder(), "guard.db");
}

/** Runs a script against the built package in a process of its own; the user may be another than this one. */
function runScript(
  script: string,
  command: readonly string[],
  user: { readonly uid?: number; readonly gid?: number } = {},
) {
  const stores = new URL("dist/bundle/stores.js", `file://${REPOSITORY}`).href;
  const text = `import { openStore } from ${JSON.stringify(stores)};\n${script}`;
  const [program = process.execPath, ...args] = [...command, process.execPath];
  return spawnSync(program, [...args, "--input-type=module", "-e", text], {
    encoding: "utf8",
    timeout: 20_000,
    ...user,
  });
}

const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

describe("the file of a store", () => {
  const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it.skipIf(process.platform === "win32")(
    "is for its owner alone where it is created, and keeps its rights",
    async () => {
      const path = newPath();
      const store = await opened(path);
      await store.append("a", [one("s", 0, "x")]);
      expect(["", "-wal", "-shm"].map((end) => rights(path + end))).toEqual(["600", "600", "600"]);
      await store.close();
      chmodSync(path, 0o640);
      await opened(path);
      expect(rights(path)).toBe("640");
    },
  );
});

describe("a sqlite store that cannot be written", () => {
  const attempt = (path: string) =>
    `await openStore(${JSON.stringify(`sqlite:${path}`)}).then(() => console.log("opened"), ({ code }) => console.log(code));`;

  it("is refused when its folder does not exist, and when it is a folder", async () => {
    const folder = storeFolder();
    await expect(opened(join(folder, "nowhere/guard.db"))).rejects.toMatchObject({ code: "store_unreachable" });
    await expect(opened(folder)).rejects.toMatchObject({ code: "store_unreachable" });
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });

  it("is refused when the file or its folder is read-only", async () => {
    const folder = storeFolder();
    const path = join(folder, "guard.db");
    const store = await openStore(`sqlite:${path}`);
    await store.append("1", [one("s", 0)]);
    await store.close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o755));
    const readOnly = runScript(attempt(path), [], NOBODY);
    expect(["store_read_only\n", "store_unreachable\n"]).toContain(readOnly.stdout);
    expect(runScript(attempt(join(folder, "new.db")), [], NOBODY).stdout).toBe("store_unreachable\n");
  });

  it("is refused when the file is no database", async () => {
    const path = newPath();
    writeFileSync(path, "this is a text of some length, and no database at all\n".repeat(100));
    await expect(opened(path)).rejects.toMatchObject({ code: "store_damaged" });
  });

  /** A file system of 1 MiB of its own, for the process and nobody else. */
  const small = (folder: string) => [
    "unshare",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    `mount -t tmpfs -o size=1m none ${folder} && exec "$@"`,
    "sh",
  ];
  const canMount = spawnSync("unshare", ["--map-root-user", "--mount", "true"]).status === 0;

  it.skipIf(!canMount)("rejects appends while the disk is full, and goes on when there is room", () => {
    const folder = storeFolder();
    const script = `
      import { rmSync, writeFileSync } from "node:fs";
      const store = await openStore("sqlite:${folder}/guard.db");
      const append = (revision, size) =>
        store.append("id-" + revision, [{ stream: "s", expectedRevision: revision, records: ["x".repeat(size)], head: "{}" }])
          .then(({ kind }) => kind, ({ code }) => code);
      console.log(await append(0, 10));
      try { writeFileSync("${folder}/filler", Buffer.alloc(2 ** 21)); } catch {}
      console.log(await append(1, 100_000));
      console.log((await store.load("s")).revision);
      rmSync("${folder}/filler");
      console.log(await append(1, 100_000));
      console.log((await store.load("s")).revision);
      await store.close();`;
    const { stdout, stderr } = runScript(script, small(folder));
    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual(["appended", "store_full", "1", "appended", "2", ""]);
  });
});

describe("a sqlite store whose file is taken away", () => {
  it("rejects until it is back, and does not begin anew", async () => {
    const path = newPath();
    const store = await opened(path);
    await store.append("1", [one("s", 0)]);
    const aside = `${path}-aside`;
    mkdirSync(aside);
    const parts = ["", "-wal", "-shm"].filter((part) => existsSync(path + part));
    for (const part of parts) renameSync(path + part, join(aside, `guard.db${part}`));
    for (const asked of [store.append("2", [one("s", 1)]), store.load("s"), store.list()]) {
      await expect(asked).rejects.toMatchObject({ code: "store_unreachable" });
    }
    expect(existsSync(path)).toBe(false);
    for (const part of ["", "-wal", "-shm"]) {
      if (existsSync(join(aside, `guard.db${part}`))) renameSync(join(aside, `guard.db${part}`), path + part);
    }
    expect((await store.append("2", [one("s", 1)])).kind).toBe("appended");
    expect(await dataOf(store, "s")).toEqual(["1", "2"]);
  });

  it("does not write on into a file that was replaced", async () => {
    const path = newPath();
    const store = await opened(path);
    await store.append("1", [one("s", 0)]);
    const other = await openStore(`sqlite:${path}-other`);
    await other.append("1", [one("t", 0)]);
    await other.close();
    renameSync(`${path}-other`, path);
    await expect(store.append("2", [one("s", 1)])).rejects.toMatchObject({ code: "store_unreachable" });
  });
});

describe("a sqlite store whose bytes were changed", () => {
  const MARK = "MARKED-RECORD";

  /** A closed file with 200 records, one of which is marked. */
  async function written(): Promise<string> {
    const path = newPath();
    const store = await openStore(`sqlite:${path}`);
    for (let revision = 0; revision < 200; revision += 1) {
      await store.append(`id-${revision}`, [one("s", revision, revision === 100 ? MARK : `record ${revision}`)]);
    }
    await store.close();
    return path;
  }

  /** The records of a file, or null where the store refuses to give them. */
  async function readAll(path: string): Promise<readonly string[] | null> {
    let store: DurableStore | null = null;
    try {
      store = await openStore(`sqlite:${path}`, { timeoutMs: 2_000 });
      return (await store.load("s")).records.map(({ data }) => data);
    } catch (cause) {
      expect(cause).toMatchObject({ name: "StoreError" });
      return null;
    } finally {
      await store?.close();
    }
  }

  it("refuses a record of which one bit was flipped", async () => {
    const path = await written();
    const bytes = readFileSync(path);
    const at = bytes.indexOf(MARK) + 5;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const store = await opened(path);
    await expect(store.load("s")).rejects.toMatchObject({
      code: "store_damaged",
      message: expect.stringContaining("record 101"),
    });
    await expect(store.read("s", 100, 1)).rejects.toMatchObject({ code: "store_damaged" });
    expect((await store.read("s", 101, 10)).length).toBe(10);
  });

  it("refuses, or reads exactly what was written, wherever a byte was changed", { timeout: 120_000 }, async () => {
    const path = await written();
    const whole = readFileSync(path);
    const store = await opened(path);
    const expected = await dataOf(store, "s");
    await store.close();
    const { below } = randomFrom(seedOf("STORE_BYTES_SEED", 11));
    let refused = 0;
    for (let round = 0; round < 60; round += 1) {
      const copy = join(storeFolder(), "guard.db");
      const bytes = Buffer.from(whole);
      const at = below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
      writeFileSync(copy, bytes);
      const found = await readAll(copy);
      if (found === null) refused += 1;
      else expect(found, `byte ${at}`).toEqual(expected);
    }
    expect(refused).toBeGreaterThan(5);
    expect(refused).toBeLessThan(60);
  });

  it("goes back to a whole append when the end of the log is cut off", async () => {
    const path = newPath();
    const store = await opened(path);
    for (let revision = 0; revision < 20; revision += 2) {
      const records = [`a${revision}`, `b${revision}`];
      await store.append(`id-${revision}`, [
        { ...one("s", revision), records },
        { ...one("t", revision), records },
      ]);
    }
    const copy = join(storeFolder(), "guard.db");
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    const size = readFileSync(`${copy}-wal`).length;
    truncateSync(`${copy}-wal`, size - 5_000);
    const cut = await opened(copy);
    const [s, t] = [await dataOf(cut, "s"), await dataOf(cut, "t")];
    expect(s).toEqual(t);
    expect(s.length % 2).toBe(0);
    expect(s.length).toBeGreaterThan(10);
    expect(s.length).toBeLessThan(20);
    expect(s).toEqual((await dataOf(store, "s")).slice(0, s.length));
    expect((await cut.append("more", [one("s", s.length)])).kind).toBe("appended");
  });
});

describe("the thread of a sqlite store", () => {
  it("does not keep a process alive that forgot to close it", () => {
    const path = newPath();
    const script = `
      const store = await openStore(${JSON.stringify(`sqlite:${path}`)});
      await store.watch("s", () => {});
      console.log((await store.append("1", [{ stream: "s", expectedRevision: 0, records: ["1"], head: "{}" }])).kind);`;
    const { status, stdout, stderr } = runScript(script, []);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "appended\n", stderr: "" });
  });

  it("leaves the event loop free while others keep the file locked", async () => {
    const path = newPath();
    const store = await opened(path);
    const { DatabaseSync } = await loadDriver();
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    const appending = store.append("1", [one("s", 0)]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    other.exec("commit");
    other.close();
    expect((await appending).kind).toBe("appended");
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it("is replaced when it ends, and who watches hears on", async () => {
    const started: Worker[] = [];
    const remember = (worker: Worker) => started.push(worker);
    process.on("worker", remember);
    onTestFinished(() => {
      process.off("worker", remember);
    });
    const path = newPath();
    const store = await opened(path);
    await store.append("1", [one("s", 0)]);
    const heard: number[] = [];
    await store.watch("s", ({ revision }) => heard.push(revision));
    const underWay = store.load("s").catch((cause: unknown) => cause);
    await started[0]?.terminate();
    expect(await underWay).toMatchObject({ code: "store_failed" });
    expect((await store.append("2", [one("s", 1)])).kind).toBe("appended");
    const other = await opened(path);
    await other.append("3", [one("s", 2)]);
    await eventually(() => heard.at(-1) === 3);
    expect(await dataOf(store, "s")).toEqual(["1", "2", "3"]);
  });
});
