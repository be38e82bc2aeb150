import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { later } from "../support/faulty-store.js";
import { POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { PostgresServer, runSql } from "../support/postgres-server.js";
import { eventually } from "../support/store-writes.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { expectConserved } from "./conservation.js";
import { Teller } from "./teller.js";

const startsOwn = POSTGRES !== null && process.env.CONTRACTS_TEST_POSTGRES === undefined;
const givenServer =
  startsOwn || POSTGRES === null ? "" : " (skipped: the server of CONTRACTS_TEST_POSTGRES is not ours to stop)";
const TIMEOUT = { timeout: 120_000 };

async function ownServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const server = await PostgresServer.create(settings);
  if (server === null) throw new Error("a server was started before, and now there is none");
  onTestFinished(() => server.remove());
  return server;
}

async function opened(url: string): Promise<DurableStore> {
  const store = await openStore(url, { timeoutMs: 2_000 });
  onTestFinished(() => store.close());
  return store;
}

describe.skipIf(!startsOwn)(`a guard whose server stops${POSTGRES_MISSING}${givenServer}`, () => {
  it.each(["stop", "crash"] as const)(
    "blocks, keeps what is under way, and goes on by itself: %s",
    TIMEOUT,
    async (end) => {
      const server = await ownServer();
      const teller = await Teller.open(await opened(server.url));
      expect(await teller.pay()).toBe("paid");
      const underWay = later<void>();
      teller.beforeAnswer = () => underWay.promise;
      const paying = teller.pay();
      await eventually(() => teller.paid.length === 2);
      await server[end]();
      const start = performance.now();
      expect(await teller.pay()).toBe("store_unavailable");
      expect(performance.now() - start).toBeLessThan(20_000);
      underWay.finish();
      await server.start();
      // Its result was waiting for the server.
      expect(await paying).toBe("paid");
      expect(await teller.pay()).toBe("paid");
      const { resolved } = await expectConserved(teller.books());
      expect(resolved).toEqual([]);
      expect(teller.paid).toHaveLength(3);
    },
  );

  it("blocks while it is read-only, and goes on by itself", TIMEOUT, async () => {
    const server = await ownServer();
    const teller = await Teller.open(await opened(server.url));
    const setReadOnly = async (word: "on" | "off") => {
      await runSql(
        server.url,
        "set default_transaction_read_only = off",
        `alter system set default_transaction_read_only = ${word}`,
        "select pg_reload_conf()",
      );
      // New connections have it once all others were told.
      const [name, show] = ["default_transaction_read_only", "show default_transaction_read_only"];
      await eventually(async () => (await runSql(server.url, show))[0]?.[name] === word);
    };
    expect(await teller.pay()).toBe("paid");
    await setReadOnly("on");
    expect(await teller.pay()).toBe("store_unavailable");
    await setReadOnly("off");
    expect(await teller.pay()).toBe("paid");
    await expectConserved(teller.books());
  });
});

describe.skipIf(!startsOwn)(
  `a guard whose server fails over to a synchronous standby${POSTGRES_MISSING}${givenServer}`,
  () => {
    it("finds there all that was answered, and goes on by itself", TIMEOUT, async () => {
      const primary = await ownServer(["synchronous_standby_names=standby", "synchronous_commit=on"]);
      const standby = await primary.standby();
      onTestFinished(() => standby.remove());
      const proxy = await TcpProxy.start(primary.port);
      const teller = await Teller.open(await opened(proxy.through(primary.url)));
      const ends: string[] = [];
      let isOver = false;
      onTestFinished(() => {
        isOver = true;
      });
      const payer = async () => {
        while (!isOver) {
          ends.push(await teller.pay());
          await setTimeout(1);
        }
      };
      const paying = Promise.all([payer(), payer(), payer()]);
      await eventually(() => ends.length > 30, 30_000);
      const [{ state } = {}] = await runSql(primary.url, "select sync_state as state from pg_stat_replication");
      expect(state).toBe("sync");
      await primary.crash();
      await runSql(standby.url, "select pg_promote()");
      proxy.retarget(standby.port);
      const before = ends.length;
      await eventually(() => ends.slice(before).includes("paid"), 60_000);
      isOver = true;
      await paying;
      expect(new Set(ends)).toEqual(
        new Set(ends.includes("store_unavailable") ? ["paid", "store_unavailable"] : ["paid"]),
      );
      // Whoever was told that it is recorded finds it recorded, on the server that was the standby.
      const { effects, calls } = await expectConserved(teller.books());
      expect(effects.length).toBeGreaterThan(30);
      expect(calls.filter(({ end }) => end === "committed").length).toBe(ends.filter((end) => end === "paid").length);
    });
  },
);
