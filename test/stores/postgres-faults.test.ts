import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore, StreamChange } from "../../src/guard/durable-store.js";
import { openStore, type StoreOptions } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { PostgresServer, runSql } from "../support/postgres-server.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { dataOf, eventually, insist, one } from "../support/store-writes.js";
import { type Fate, TcpProxy } from "../support/tcp-proxy.js";

async function opened(url: string, options: StoreOptions = {}): Promise<DurableStore> {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

/** A store behind a proxy, and the same streams without it. */
async function proxied(options: StoreOptions = {}) {
  const url = await newSchema();
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  const store = await opened(proxy.through(url), { timeoutMs: 3_000, ...options });
  return { proxy, store, direct: await opened(url) };
}

/** A store behind a pooler, so that the server knows no time limit. */
async function unlimited() {
  const url = await newSchema();
  return { url, store: await opened(url, { timeoutMs: 300, preparedStatements: false }) };
}

const holds = (word: string) => (bytes: Buffer) => bytes.includes(word);

describe.skipIf(POSTGRES === null)(`a postgres store whose connection breaks${POSTGRES_MISSING}`, () => {
  it("rejects an append that never reached the server, and records it when it is sent again", async () => {
    const { proxy, store, direct } = await proxied();
    const isAppend = holds("lost-on-the-way");
    proxy.rules.fromClient = (bytes) => (isAppend(bytes) ? "cut" : "pass");
    await expect(store.append("lost-on-the-way", [one("s", 0)])).rejects.toMatchObject({ code: "store_unreachable" });
    expect(await dataOf(direct, "s")).toEqual([]);
    proxy.pass();
    expect((await store.append("lost-on-the-way", [one("s", 0)])).kind).toBe("appended");
    expect(await dataOf(direct, "s")).toEqual(["1"]);
  });

  it("works through a pooler that refuses connections with settings of their own", async () => {
    const url = await newSchema();
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    const hasSetting = holds("statement_timeout");
    proxy.rules.fromClient = (bytes) => (hasSetting(bytes) ? "cut" : "pass");
    const store = await opened(proxy.through(url), { timeoutMs: 3_000, preparedStatements: false });
    expect((await store.append("a", [one("s", 0)])).kind).toBe("appended");
    await expect(opened(proxy.through(url), { timeoutMs: 3_000 })).rejects.toMatchObject({ code: "store_unreachable" });
  });

  it("rejects an append in time that a server without a time limit keeps waiting, and tells later what became of it", async () => {
    const { url, store } = await unlimited();
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("begin");
    await client.query("lock table contract_guard_streams");
    const writes = [one("s", 0)];
    await expect(store.append("kept-waiting", writes)).rejects.toMatchObject({ code: "store_timeout" });
    await client.query("commit");
    expect(await insist(store, "kept-waiting", writes)).toBe("appended");
    expect(await dataOf(store, "s")).toEqual(["1"]);
  });

  /** Lets an append reach the server, and does something to the answer. */
  function loseAnswer(proxy: TcpProxy, id: string, fate: Fate): void {
    const isAppend = holds(id);
    let isSent = false;
    proxy.rules.fromClient = (bytes) => {
      if (isAppend(bytes)) isSent = true;
      return "pass";
    };
    proxy.rules.fromServer = () => (isSent ? fate : "pass");
  }

  it("rejects an append whose answer was lost, and answers truthfully when it is sent again", async () => {
    const { proxy, store, direct } = await proxied();
    loseAnswer(proxy, "answer-lost", "cut");
    const writes = [one("s", 0), one("t", 0)];
    await expect(store.append("answer-lost", writes)).rejects.toMatchObject({ code: "store_unreachable" });
    expect(await dataOf(direct, "s")).toEqual(["1"]);
    proxy.pass();
    await direct.append("later", [one("s", 1)]);
    expect((await store.append("answer-lost", writes)).kind).toBe("appended");
    expect((await store.append("other", writes)).kind).toBe("conflict");
    expect(await dataOf(direct, "s")).toEqual(["1", "2"]);
    expect(await dataOf(direct, "t")).toEqual(["1"]);
  });

  it("gives up within its time when the server falls silent, and goes on when it answers again", async () => {
    const { proxy, store, direct } = await proxied({ timeoutMs: 1_500 });
    loseAnswer(proxy, "silence", "lose");
    const start = performance.now();
    await expect(store.append("silence", [one("s", 0)])).rejects.toMatchObject({ code: "store_timeout" });
    await expect(store.load("s")).rejects.toMatchObject({ code: "store_timeout" });
    expect(performance.now() - start).toBeLessThan(12_000);
    expect(await dataOf(direct, "s")).toEqual(["1"]);
    proxy.pass();
    expect((await store.append("silence", [one("s", 0)])).kind).toBe("appended");
    expect((await store.load("s")).revision).toBe(1);
  });

  it("loses and doubles nothing while connections break at random, in either direction", async () => {
    const { proxy, store, direct } = await proxied({ timeoutMs: 300 });
    const { next } = randomFrom(seedOf("STORE_FAULTS_SEED", 7));
    const fate = (): Fate => {
      const number = next();
      return number < 0.06 ? "cut" : number < 0.07 ? "lose" : "pass";
    };
    proxy.rules.fromClient = fate;
    proxy.rules.fromServer = fate;
    const kinds: string[] = [];
    for (let revision = 0; revision < 60; revision += 1) {
      kinds.push(await insist(store, `id-${revision}`, [one("s", revision), one("t", revision)]));
    }
    proxy.pass();
    expect(new Set(kinds)).toEqual(new Set(["appended"]));
    const expected = Array.from({ length: 60 }, (_, index) => String(index + 1));
    expect(await dataOf(direct, "s")).toEqual(expected);
    expect(await dataOf(direct, "t")).toEqual(expected);
  });

  it("hears of appends again after the connection that listens was cut", async () => {
    const { proxy, store, direct } = await proxied();
    const heard: StreamChange[] = [];
    await store.watch("s", (change) => heard.push(change));
    await direct.append("1", [one("s", 0)]);
    await eventually(() => heard.length === 1);
    proxy.cutAll();
    await direct.append("2", [one("s", 1)]);
    await eventually(() => heard.at(-1)?.revision === 2);
  });

  it("begins no watch that was asked for when the store was closed: nobody would end it", async () => {
    const store = await opened(await newSchema());
    const watching = expect(store.watch("s", () => {})).rejects.toMatchObject({ code: "store_closed" });
    await store.close();
    await watching;
  });

  it("finds out by asking where nobody may listen", async () => {
    const { proxy, store, direct } = await proxied({ pollMs: 20 });
    const listens = holds("listen contract_guard");
    proxy.rules.fromClient = (bytes) => (listens(bytes) ? "cut" : "pass");
    const heard: StreamChange[] = [];
    await store.watch("s", (change) => heard.push(change));
    await direct.append("1", [one("s", 0)]);
    await eventually(() => heard.at(-1)?.revision === 1);
  });
});

/** A server that may be stopped; the tests run one after the other, and each brings it up again. */
async function ownServer(): Promise<PostgresServer> {
  const server = await PostgresServer.create();
  if (server === null) throw new Error("a server was started before, and now there is none");
  onTestFinished(() => server.remove());
  return server;
}

const startsOwn = POSTGRES !== null && process.env.CONTRACTS_TEST_POSTGRES === undefined;

const givenServer =
  startsOwn || POSTGRES === null ? "" : " (skipped: the server of CONTRACTS_TEST_POSTGRES is not ours to stop)";

describe.skipIf(!startsOwn)(`a postgres store whose server stops${POSTGRES_MISSING}${givenServer}`, () => {
  it("rejects within its time while it is away, and goes on by itself when it is back", {
    timeout: 90_000,
  }, async () => {
    const server = await ownServer();
    const store = await opened(server.url, { timeoutMs: 2_000 });
    const heard: StreamChange[] = [];
    await store.watch("s", (change) => heard.push(change));
    expect((await store.append("1", [one("s", 0)])).kind).toBe("appended");
    await server.stop();
    const start = performance.now();
    for (const asked of [store.append("2", [one("s", 1)]), store.load("s"), store.list(), store.read("s", 0, 1)]) {
      await expect(asked).rejects.toMatchObject({ name: "StoreError", code: "store_unreachable" });
    }
    await expect(openStore(server.url)).rejects.toMatchObject({ code: "store_unreachable" });
    expect(performance.now() - start).toBeLessThan(10_000);
    await server.start();
    expect(await insist(store, "2", [one("s", 1)])).toBe("appended");
    expect(await dataOf(store, "s")).toEqual(["1", "2"]);
    const other = await opened(server.url);
    await other.append("3", [one("s", 2)]);
    await eventually(() => heard.at(-1)?.revision === 3, 20_000);
  });

  it("keeps every append that was answered when the server crashes in the middle", { timeout: 90_000 }, async () => {
    const server = await ownServer();
    const store = await opened(server.url, { timeoutMs: 2_000 });
    const answered = new Map<string, number>();
    const writers = Array.from({ length: 8 }, (_, index) => `s${index}`);
    const writing = Promise.all(
      writers.map(async (stream) => {
        for (let revision = 0; ; revision += 1) {
          await store.append(`${stream}-${revision}`, [one(stream, revision)]);
          answered.set(stream, revision + 1);
        }
      }),
    ).catch((cause: unknown) => cause);
    await eventually(() => [...answered.values()].reduce((sum, count) => sum + count, 0) > 200, 30_000);
    await server.crash();
    expect(await writing).toMatchObject({ name: "StoreError" });
    await server.start();
    await eventually(
      async () =>
        store.list().then(
          () => true,
          () => false,
        ),
      20_000,
    );
    for (const stream of writers) {
      const { revision, records } = await store.load(stream);
      const count = answered.get(stream) ?? 0;
      expect(revision).toBeGreaterThanOrEqual(count);
      // One more may have been recorded without its answer.
      expect(revision).toBeLessThanOrEqual(count + 1);
      expect(records.map(({ data }) => data)).toEqual(
        Array.from({ length: revision }, (_, index) => String(index + 1)),
      );
      expect(await insist(store, `${stream}-${count}`, [one(stream, count)])).toBe("appended");
      expect((await store.load(stream)).revision).toBe(count + 1);
    }
  });
});

describe.skipIf(POSTGRES === null)(`a postgres store whose tables were changed by hand${POSTGRES_MISSING}`, () => {
  async function damaged(statement: string): Promise<DurableStore> {
    const url = await newSchema();
    const store = await opened(url);
    await store.append("1", [{ ...one("s", 0), records: ["1", "2", "3"], snapshot: '"three"' }]);
    await store.append("2", [{ ...one("s", 3), records: ["4", "5"] }]);
    await runSql(url, statement);
    return store;
  }

  it.each([
    ["a record", "update contract_guard_records set data = '9' where revision = 4"],
    ["the append of a record", "update contract_guard_records set append_id = 'x' where revision = 5"],
    ["a head", "update contract_guard_streams set head = '[]'"],
    ["a revision", "update contract_guard_streams set revision = 4"],
    ["a snapshot", "update contract_guard_snapshots set data = '0'"],
    ["the place of a snapshot", "update contract_guard_snapshots set revision = 2"],
    ["a missing record", "delete from contract_guard_records where revision = 4"],
    ["a missing head", "delete from contract_guard_streams"],
    ["a missing last record", "delete from contract_guard_records where revision = 5"],
  ])("refuses to go on with %s", async (_, statement) => {
    const store = await damaged(statement);
    await expect(store.load("s")).rejects.toMatchObject({ name: "StoreError", code: "store_damaged" });
  });

  it.each([0, 1, 2])(
    "does not pass over a missing record when it is read for an audit, from revision %d",
    async (after) => {
      const store = await damaged("delete from contract_guard_records where revision in (2, 3)");
      await expect(store.read("s", after, 10)).rejects.toMatchObject({ code: "store_damaged" });
    },
  );

  it("refuses a damaged record also when it is read for an audit", async () => {
    const store = await damaged("update contract_guard_records set data = '9' where revision = 2");
    expect((await store.load("s")).revision).toBe(5);
    await expect(store.read("s", 0, 10)).rejects.toMatchObject({ code: "store_damaged" });
  });
});

describe.skipIf(POSTGRES === null)(`an append to several streams on a server${POSTGRES_MISSING}`, () => {
  it("takes back what it wrote when another stream was changed while it waited", async () => {
    const url = await newSchema();
    const store = await opened(url);
    await store.append("1", [one("a", 0), one("b", 0)]);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query("begin");
    await other.query("update contract_guard_streams set before = 1, revision = 2 where stream = 'b'");
    const appending = store.append("2", [one("a", 1), one("b", 1), one("c", 0)]);
    const waits = "select count(*)::int as waits from pg_locks where not granted";
    await eventually(async () => (await other.query(waits)).rows[0].waits > 0);
    await other.query("commit");
    await other.end();
    expect((await appending).kind).toBe("conflict");
    expect(await dataOf(store, "a")).toEqual(["1"]);
    expect((await store.load("c")).revision).toBe(0);
  });
});

describe.skipIf(POSTGRES === null)(`a postgres store that may not write${POSTGRES_MISSING}`, () => {
  it("says so, and goes on when it may", async () => {
    const url = await newSchema();
    const store = await opened(url);
    const readOnly = new URL(url);
    readOnly.searchParams.set("options", `${readOnly.searchParams.get("options")} -c default_transaction_read_only=on`);
    const other = await opened(readOnly.href);
    await expect(other.append("1", [one("s", 0)])).rejects.toMatchObject({ code: "store_read_only" });
    expect((await other.load("s")).revision).toBe(0);
    expect((await store.append("1", [one("s", 0)])).kind).toBe("appended");
  });

  it("gives up on a statement that others hold up, within its time", async () => {
    const url = await newSchema();
    const store = await opened(url, { timeoutMs: 400 });
    const blocked = runSql(url, "begin", "lock table contract_guard_streams", "select pg_sleep(2)", "commit");
    await eventually(async () =>
      store.append("probe", [one("probe", 0)]).then(
        () => false,
        () => true,
      ),
    );
    await blocked;
    expect(await insist(store, "probe", [one("probe", 0)])).toBe("appended");
  });
});
