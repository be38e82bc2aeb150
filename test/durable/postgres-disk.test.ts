import { describe, expect, it, onTestFinished } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import { openStore } from "../../src/stores/open-store.js";
import { later } from "../support/faulty-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { identity, PostgresServer, runSql } from "../support/postgres-server.js";
import { canMount, MOUNT_MISSING } from "../support/small-disk.js";
import { eventually } from "../support/store-writes.js";
import { expectConserved } from "./conservation.js";
import { Teller } from "./teller.js";

/** A server whose tables, not its log, are on a file system of 2 MiB. */
async function smallServer(): Promise<PostgresServer> {
  const server = await PostgresServer.create([], 2);
  if (server === null) throw new Error("a server was started before, and now there is none");
  onTestFinished(() => server.remove());
  await runSql(server.url, `create tablespace small location '${server.diskFolder}'`);
  return server;
}

const FILLER = [
  "create table if not exists filler (page text storage plain) tablespace small",
  // One row a page, until the file system has no further page.
  "do $$ begin loop insert into filler values (repeat('x', 7900)); commit; end loop; end $$",
];

/** Uses up what is left of the pages that the tables of the store have begun. */
async function fillPages(guard: Guard): Promise<void> {
  for (const length of [1_500, 1]) {
    // More than the file system has room for.
    const labels = async () => {
      for (let count = 0; count < 2_000; count += 1) await guard.addLabel("x".repeat(length));
    };
    await expect(labels()).rejects.toMatchObject({ reason: "store_unavailable" });
  }
}

const hasDisk = canMount(identity);

describe.skipIf(POSTGRES === null || !hasDisk)(
  `a guard whose server has no room left${POSTGRES_MISSING}${hasDisk ? "" : MOUNT_MISSING}`,
  () => {
    it("blocks while the disk is full, and records what is under way when there is room", {
      timeout: 120_000,
    }, async () => {
      const server = await smallServer();
      const url = await newSchema(["default_tablespace=small"], server.url);
      const store = await openStore(url, { timeoutMs: 1_000 });
      onTestFinished(() => store.close());
      const teller = await Teller.open(store);
      expect(await teller.pay()).toBe("paid");
      const underWay = later<void>();
      teller.beforeAnswer = () => underWay.promise;
      const paying = teller.pay();
      await eventually(() => teller.paid.length === 2);
      await expect(runSql(url, ...FILLER)).rejects.toMatchObject({ code: "53100" });
      await fillPages(teller.guard);
      expect(await teller.pay()).toBe("store_unavailable");
      expect(teller.paid).toHaveLength(2);
      underWay.finish();
      await runSql(url, "drop table filler");
      expect(await paying).toBe("paid");
      expect(await teller.pay()).toBe("paid");
      const { resolved } = await expectConserved(teller.books());
      expect(resolved).toEqual([]);
      expect(teller.paid).toHaveLength(3);
    });
  },
);
