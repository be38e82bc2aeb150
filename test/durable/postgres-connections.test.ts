import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { runSql } from "../support/postgres-server.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { eventually } from "../support/store-writes.js";
import { type Fate, TcpProxy } from "../support/tcp-proxy.js";
import { expectConserved } from "./conservation.js";
import { callsOf, eventsOf, recordsOf } from "./session-log.js";
import { SESSION, Teller } from "./teller.js";

async function opened(url: string, timeoutMs: number) {
  const store = await openStore(url, { timeoutMs });
  onTestFinished(() => store.close());
  return store;
}

/** A teller behind a proxy, and the same store without it. */
async function behindProxy({ timeoutMs = 3_000, settings = [] as readonly string[] } = {}) {
  const url = await newSchema(settings);
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  const teller = await Teller.open(await opened(proxy.through(url), timeoutMs));
  const direct = await opened(url, 20_000);
  const events = async () => eventsOf(await recordsOf(direct, SESSION));
  return { url, proxy, teller, direct, events };
}

/** Lets what holds a word reach the server, and does something to all that the server says from then on. */
function loseAnswers(proxy: TcpProxy, word: string, fate: () => Fate): void {
  let isSent = false;
  proxy.rules.fromClient = (bytes) => {
    if (bytes.includes(word)) isSent = true;
    return "pass";
  };
  proxy.rules.fromServer = () => (isSent ? fate() : "pass");
}

/** Cuts one connection, and passes on everything else. */
function once(): () => Fate {
  let isCut = false;
  return () => {
    if (isCut) return "pass";
    isCut = true;
    return "cut";
  };
}

const RESERVED = '"kind":"reserved"';
const SETTLED = '"kind":"settled"';

describe.skipIf(POSTGRES === null)(`a guard whose connections break${POSTGRES_MISSING}`, () => {
  it("goes on over new ones when they are cut", async () => {
    const { proxy, teller } = await behindProxy();
    expect(await teller.pay()).toBe("paid");
    proxy.cutAll();
    expect(await teller.pay()).toBe("paid");
    await expectConserved(teller.books());
  });

  it.each(["client", "server"] as const)("goes on over new ones when the %s's half is closed", async (side) => {
    const { proxy, teller } = await behindProxy();
    expect(await teller.pay()).toBe("paid");
    proxy.endAll(side);
    expect(await teller.pay()).toBe("paid");
    // Also in the middle of an append.
    loseAnswers(proxy, RESERVED, () => {
      proxy.pass();
      proxy.endAll(side);
      return "lose";
    });
    expect(await teller.pay()).toBe("paid");
    const { calls } = await expectConserved(teller.books());
    expect(calls).toHaveLength(3);
  });

  it("loses and doubles nothing while they break at random, in either direction", { timeout: 120_000 }, async () => {
    const { proxy, teller, direct } = await behindProxy({ timeoutMs: 400 });
    const { next } = randomFrom(seedOf("GUARD_FAULTS_SEED", 11));
    const fate = (): Fate => {
      const number = next();
      if (number < 0.01) proxy.endAll(number < 0.005 ? "client" : "server");
      return number < 0.06 ? "cut" : number < 0.07 ? "lose" : "pass";
    };
    proxy.rules.fromClient = fate;
    proxy.rules.fromServer = fate;
    const ends = new Set<string>();
    const payer = async () => {
      for (let index = 0; index < 20; index += 1) ends.add(await teller.pay());
    };
    await Promise.all([payer(), payer()]);
    proxy.pass();
    expect(ends).toContain("paid");
    await expectConserved({ ...teller.books(), store: direct });
  });
});

describe.skipIf(POSTGRES === null)(`a guard whose server is slow${POSTGRES_MISSING}`, () => {
  it("blocks within its time while others keep the tables locked, and goes on by itself", async () => {
    const { url, teller } = await behindProxy({ timeoutMs: 1_000 });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("begin");
    await other.query("lock table contract_guard_streams");
    const start = performance.now();
    expect(await teller.pay()).toBe("store_unavailable");
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(teller.paid).toEqual([]);
    await other.query("rollback");
    expect(await teller.pay()).toBe("paid");
    await expectConserved(teller.books());
  });
});

describe.skipIf(POSTGRES === null)(
  `a guard to which the acknowledgement of a commit is lost${POSTGRES_MISSING}`,
  () => {
    it.each([
      ["reservation", RESERVED],
      ["settlement", SETTLED],
    ])("sends a %s again, and it is recorded once", async (_, word) => {
      const { proxy, teller, events } = await behindProxy();
      loseAnswers(proxy, word, once());
      expect(await teller.pay()).toBe("paid");
      proxy.pass();
      expect(callsOf(await events())).toMatchObject([{ callId: "call_1", end: "committed" }]);
      expect(teller.guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
      await expectConserved(teller.books());
    });

    it("tells nobody to send a call that it could not confirm, and lists it as unanswered", async () => {
      const { proxy, teller, events } = await behindProxy({ timeoutMs: 800 });
      loseAnswers(proxy, RESERVED, () => "lose");
      expect(await teller.pay(7)).toBe("store_unavailable");
      expect(teller.paid).toEqual([]);
      expect(callsOf(await events())).toMatchObject([{ callId: "call_1", end: "running" }]);
      proxy.pass();
      await eventually(async () => (await teller.pay()) === "paid");
      const unanswered = { callId: "call_1", origin: "unanswered", fields: { amount: 7 } };
      expect(teller.guard.unsettled()).toMatchObject([unanswered]);
      // It counts until somebody says that it did not happen.
      expect(teller.guard.state().aggregates).toEqual({ paid: 7 + teller.paid.length });
      const { resolved } = await expectConserved(teller.books());
      expect(resolved).toEqual(["did_not_happen"]);
    });
  },
);

describe.skipIf(POSTGRES === null)(`a guard whose transactions cannot be serialized${POSTGRES_MISSING}`, () => {
  const settings = ["default_transaction_isolation=serializable"];

  it("decides again when the server takes an append back", async () => {
    const { url, proxy, teller } = await behindProxy({ settings });
    let failures = 0;
    proxy.rules.fromServer = (bytes) => {
      if (bytes.includes("40001")) failures += 1;
      return "pass";
    };
    // The id of an append is its first value.
    const appends: (string | undefined)[] = [];
    proxy.rules.fromClient = (bytes) => {
      if (bytes.includes(RESERVED))
        appends.push(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(String(bytes))?.[0]);
      return "pass";
    };
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("begin");
    await other.query("update contract_guard_streams set head = head");
    const paying = teller.pay();
    const waits = "select count(*)::int as waits from pg_locks where not granted";
    await eventually(async () => (await other.query(waits)).rows[0].waits > 0);
    await other.query("commit");
    expect(await paying).toBe("paid");
    expect(failures).toBe(1);
    expect(appends).toHaveLength(2);
    expect(new Set(appends).size).toBe(2);
    const { calls } = await expectConserved(teller.books());
    expect(calls).toHaveLength(1);
  });

  it("says so when the server keeps taking appends back, and goes on by itself", async () => {
    const { url, teller } = await behindProxy({ settings });
    expect(await teller.pay()).toBe("paid");
    await runSql(
      url,
      "create function take_back() returns trigger language plpgsql as 'begin raise exception using errcode = ''40001''; end'",
      "create trigger take_back before insert on contract_guard_records execute function take_back()",
    );
    expect(await teller.pay()).toBe("store_contended");
    expect(teller.paid).toHaveLength(1);
    await runSql(url, "drop trigger take_back on contract_guard_records");
    expect(await teller.pay()).toBe("paid");
    await expectConserved(teller.books());
  });

  it("stays within the bounds with others on the same session", { timeout: 60_000 }, async () => {
    const { direct, teller } = await behindProxy({ settings });
    const tellers = [teller, ...(await Promise.all([1, 2, 3].map(() => Teller.open(direct))))];
    // 22 of these 24 fit into the sum.
    const payer = async (one: Teller) => {
      const ends: string[] = [];
      while (ends.length < 6) {
        const end = await one.pay(450);
        if (end !== "store_contended") ends.push(end);
      }
      return ends;
    };
    const ends = (await Promise.all(tellers.map(payer))).flat();
    const paid = tellers.flatMap((one) => one.paid);
    expect(paid).toHaveLength(22);
    expect(ends.sort()).toEqual([...Array(2).fill("aggregate_exceeded"), ...Array(22).fill("paid")]);
    const state = (await Teller.open(direct)).guard.state();
    expect(state).toMatchObject({ toolCalls: paid.length, aggregates: { paid: 450 * paid.length }, unsettled: [] });
  });
});
