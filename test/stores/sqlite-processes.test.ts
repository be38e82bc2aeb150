import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.js";
import { loadDriver } from "../../src/stores/sqlite/driver.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { storeFolder } from "../support/store-folder.js";
import { startStoreProcess } from "../support/store-process.js";
import { dataOf, eventually, one } from "../support/store-writes.js";

const newUrl = () => `sqlite:${join(storeFolder(), "guard.db")}`;
const OPTIONS = { timeoutMs: 20_000 };

async function recorded(url: string, stream: string): Promise<readonly string[]> {
  const store = await openStore(url, OPTIONS);
  onTestFinished(() => store.close());
  const data = await dataOf(store, stream);
  expect((await store.load(stream)).revision).toBe(data.length);
  return data;
}

describe("several processes on one sqlite file", () => {
  it("create it together, and lose and double nothing", { timeout: 120_000 }, async () => {
    const url = newUrl();
    const writers = ["a", "b", "c", "d"];
    const processes = writers.map((writer) =>
      startStoreProcess({ url, writer, count: 40, stream: "s", options: OPTIONS }),
    );
    const ends = await Promise.all(processes.map(({ ended }) => ended));
    expect(ends).toEqual(writers.map(() => ({ code: 0, stderr: "" })));
    const data = await recorded(url, "s");
    expect(data).toHaveLength(160);
    for (const writer of writers) {
      const expected = Array.from({ length: 40 }, (_, index) => `${writer}-${index}`);
      expect(data.filter((text) => text.startsWith(`${writer}-`))).toEqual(expected);
    }
  });

  it("keep every append that was answered when one of them is killed at any instant", {
    timeout: 120_000,
  }, async () => {
    const url = newUrl();
    const { below } = randomFrom(seedOf("STORE_KILL_SEED", 3));
    const survivor = startStoreProcess({ url, writer: "survivor", count: null, stream: "s", options: OPTIONS });
    const all = new Map<string, readonly string[]>();
    for (let round = 0; round < 6; round += 1) {
      const victim = startStoreProcess({ url, writer: `v${round}`, count: null, stream: "s", options: OPTIONS });
      const least = 1 + below(12);
      await eventually(() => victim.answered.length >= least, 30_000);
      victim.child.kill("SIGKILL");
      await victim.ended;
      all.set(`v${round}`, victim.answered);
    }
    const before = survivor.answered.length;
    await eventually(() => survivor.answered.length > before + 3, 30_000);
    survivor.child.kill("SIGKILL");
    await survivor.ended;
    all.set("survivor", survivor.answered);
    const data = await recorded(url, "s");
    expect(new Set(data).size).toBe(data.length);
    for (const [writer, answered] of all) {
      const own = data.filter((text) => text.startsWith(`${writer}-`));
      expect(own.slice(0, answered.length)).toEqual(answered);
      // One more may have been recorded without its answer.
      expect(own.length).toBeLessThanOrEqual(answered.length + 1);
    }
  });

  it("wait for each other no longer than they may", async () => {
    const url = newUrl();
    const { DatabaseSync } = await loadDriver();
    const store = await openStore(url, { timeoutMs: 300 });
    onTestFinished(() => store.close());
    const other = new DatabaseSync(url.slice("sqlite:".length));
    other.exec("begin immediate");
    const start = performance.now();
    await expect(store.append("1", [one("s", 0)])).rejects.toMatchObject({ code: "store_timeout" });
    expect(performance.now() - start).toBeLessThan(5_000);
    // Reading waits for nobody.
    await eventually(() =>
      store.load("s").then(
        ({ revision }) => revision === 0,
        () => false,
      ),
    );
    other.exec("rollback");
    other.close();
    await eventually(() =>
      store.append("2", [one("s", 0)]).then(
        ({ kind }) => kind === "appended",
        () => false,
      ),
    );
    expect(await dataOf(store, "s")).toEqual(["1"]);
  });
});
