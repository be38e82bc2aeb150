import { generateKeyPairSync } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkpointLines } from "../../src/audit/checkpoint.js";
import { CheckpointCheck } from "../../src/audit/checkpoint-check.js";
import { exportLines } from "../../src/audit/export-log.js";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import { verifyExport } from "../../src/audit/verify-export.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { openApprovals } from "../../src/sessions/approvals.js";
import { loadDriver } from "../../src/stores/sqlite/driver.js";
import { sectionOf, textOf } from "../support/documents.js";
import { approvalIdOf, callIdOf, PAYMENTS, pay, paymentGuard } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";
import { closing, SHARED_KINDS } from "../support/operated-stores.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { runSql } from "../support/postgres-server.js";
import { waitForCli } from "../support/run-cli.js";
import { eventually } from "../support/store-writes.js";

const KEYS = generateKeyPairSync("ed25519");

/** The statements that the document has for a kind of store, for sessions not touched since a time. */
function statements(kind: string, time: number): readonly string[] {
  const section = sectionOf(textOf("docs/durability.md"), "## Backup, pruning, upgrade");
  const blocks = [...section.matchAll(/```sql\n([^`]+)```/g)].map(([, block = ""]) => block);
  const own = blocks.find((block) => block.trim().startsWith(kind === "sqlite" ? "-- SQLite" : "-- PostgreSQL"));
  if (own === undefined) throw new Error(`there is no SQL for ${kind}`);
  const lines = own.split("\n").filter((line) => !line.trim().startsWith("--"));
  const parts = lines.join("\n").replaceAll(":time", String(time)).split(";");
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

async function prune(kind: string, url: string, time: number): Promise<void> {
  if (kind !== "sqlite") {
    await runSql(url, ...statements(kind, time));
    return;
  }
  const { DatabaseSync } = await loadDriver();
  const database = new DatabaseSync(url.replace("sqlite:", ""));
  for (const statement of statements(kind, time)) database.exec(statement);
  database.close();
}

/** A session of so many calls, all of them settled. */
async function played(store: DurableStore, sessionId: string, calls: number, options: GuardOptions = {}) {
  const guard = await paymentGuard(store, { sessionId, ...options });
  for (let count = 0; count < calls; count += 1) {
    await guard.settle(callIdOf(await guard.propose({ tool: "look", args: {} })), { kind: "result", output: null });
  }
  return guard;
}

/** A time after everything that was recorded so far. */
async function timeBehind(store: DurableStore): Promise<number> {
  const updated = (await store.list({ limit: 100 })).map((stream) => stream.updated);
  await setTimeout(20);
  return Math.max(...updated) + 1;
}

async function signedEnds(store: DurableStore): Promise<readonly string[]> {
  const lines: string[] = [];
  await verifyStore(store, { onEnd: (end) => lines.push(...checkpointLines([end], KEYS.privateKey, 1)) });
  return lines;
}

async function linesOf(store: DurableStore): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(store, null)) lines.push(line);
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const isPruned = (session: string, index: number) => ({
  ...{ session, index },
  what: "was signed, and the session is missing",
});

describe.each(SHARED_KINDS)("pruning of a %s store as the document says", (kind, newUrl) => {
  it("deletes the sessions that are over and leaves the others whole", { timeout: 60_000 }, async () => {
    const url = await newUrl();
    const store = await closing(url);
    // Long enough for a snapshot.
    const over = await played(store, "over", 130);
    const waiting = await played(store, "waiting", 130);
    callIdOf(await waiting.propose(pay(10)));
    const time = await timeBehind(store);
    const recent = await played(store, "recent", 130);
    const checkpoints = await signedEnds(store);
    const exported = await linesOf(store);
    const rest = (await store.list({ limit: 100 })).filter(({ stream }) => stream !== "session/over");

    await prune(kind, url, time);

    expect(await store.list({ limit: 100 })).toEqual(rest);
    expect(await store.load("session/over")).toMatchObject({ revision: 0, records: [], snapshot: null, head: null });
    const { code, stdout } = await waitForCli(["audit", "verify", url, "--format", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ok: true, records: 2 * (1 + 2 * 130) + 1, sessions: 2, problems: [] });
    const known = () => new CheckpointCheck(checkpoints, KEYS.publicKey);
    const { problems } = await verifyStore(store, { checkpoints: known() });
    expect(problems).toEqual([isPruned("over", 1 + 2 * 130)]);
    expect((await verifyExport(each(exported), { checkpoints: known() })).problems).toEqual([]);

    expect(told(await over.propose(pay(1)))).toBe("store_unavailable");
    for (const [guard, sessionId] of [
      [waiting, "waiting"],
      [recent, "recent"],
    ] as const) {
      expect((await paymentGuard(store, { sessionId })).state()).toEqual(guard.state());
      expect(told(await guard.propose(pay(1)))).toBe("allow");
    }
    const anew = await paymentGuard(store, { sessionId: "over" });
    expect(anew.state()).toMatchObject({ toolCalls: 0 });
    expect(told(await anew.propose(pay(1)))).toBe("allow");
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it("leaves sessions whose approvals can still be answered", async () => {
    const url = await newUrl();
    const store = await closing(url);
    const guard = await paymentGuard(store, { sessionId: "asking" });
    const approvalId = approvalIdOf(await guard.propose(pay(120)));
    const time = await timeBehind(store);
    await prune(kind, url, time);
    expect(await openApprovals(store).list()).toMatchObject([{ id: approvalId }]);
    // Its deadline is a minute later; by then nobody can answer.
    await prune(kind, url, time + 120_000);
    expect(await store.list({ prefix: "session/" })).toEqual([]);
  });

  it("leaves sessions of workflows", async () => {
    const url = await newUrl();
    const store = await closing(url);
    for (const [id, workflow] of [
      ["alone", {}],
      ["member", { workflow: "w" }],
    ] as const) {
      const head = JSON.stringify({ unsettled: 0, ...workflow });
      await store.append(id, [{ stream: `session/${id}`, expectedRevision: 0, records: ["{}"], head }]);
    }
    await prune(kind, url, await timeBehind(store));
    expect((await store.list()).map(({ stream }) => stream)).toEqual(["session/member"]);
  });
});

/** A store whose sessions are pruned before the first request of a kind is answered, or the second. */
function prunedBefore(
  store: DurableStore,
  operation: "load" | "read",
  act: () => Promise<void>,
  nth = 1,
): DurableStore {
  let asked = 0;
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...given: readonly unknown[]) => {
        if (name === operation && ++asked === nth) await act();
        return Reflect.apply(value, target, given);
      };
    },
  });
}

describe.each(SHARED_KINDS)("a guard of a session in a %s store that was pruned and started anew", (kind, newUrl) => {
  it.each([
    ["that wrote its last record", 3],
    // Then the 250th record is the last, and comes with a snapshot.
    ["that read a snapshot and nothing after it", 124],
  ])("blocks, also where the new one has as many records: a guard %s", async (_, calls) => {
    const url = await newUrl();
    const store = await closing(url);
    const play = async (options: GuardOptions = {}) => {
      const guard = await played(store, "over", calls, options);
      await guard.addLabel("end");
      return guard;
    };
    const isRead = calls > 3;
    // So long it asks the store again before it gives up.
    const patience = { storeTimeoutMs: 2_000 };
    const wrote = await play(isRead ? {} : patience);
    if (isRead) expect(await store.load("session/over")).toMatchObject({ snapshot: { revision: 250 }, records: [] });
    const old = isRead ? await paymentGuard(store, { sessionId: "over", ...patience }) : wrote;
    await prune(kind, url, await timeBehind(store));
    const anew = await play();
    expect(told(await old.propose(pay(1)))).toBe("store_unavailable");
    expect(told(await anew.propose(pay(1)))).toBe("allow");
    expect((await verifyStore(store)).problems).toEqual([]);
  });
});

describe.each(SHARED_KINDS)("pruning of a %s store while it is read", (kind, newUrl) => {
  it.each(["load", "read"] as const)("is no problem of the log: before the first %s", async (operation) => {
    const url = await newUrl();
    const store = await closing(url);
    const setting = { artifact: artifactOf(PAYMENTS), principals: new Map(), env: {}, session: null };
    for (const check of [
      async (read: DurableStore) => verifyStore(read),
      async (read: DurableStore) => (await replayStore(read, setting)).result,
    ]) {
      await played(store, "over", 3);
      const time = await timeBehind(store);
      await played(store, "recent", 3);
      const pruned = prunedBefore(store, operation, () => prune(kind, url, time));
      expect(await check(pruned)).toMatchObject({ ok: true, records: 7, problems: [] });
      await prune(kind, url, await timeBehind(store));
    }
  });

  it("leaves no part of a session in an export", { timeout: 60_000 }, async () => {
    const url = await newUrl();
    const store = await closing(url);
    await played(store, "over", 260);
    const time = await timeBehind(store);
    const within = prunedBefore(store, "read", () => prune(kind, url, time), 2);
    await expect(linesOf(within)).rejects.toThrow("deleted while it was exported");
    await played(store, "again", 3);
    const all = await timeBehind(store);
    const before = prunedBefore(store, "read", () => prune(kind, url, all));
    expect((await linesOf(before)).map((line) => JSON.parse(line))).toEqual([{ head: { records: 0, sessions: [] } }]);
  });
});

describe.each(SHARED_KINDS)("a session in a %s store that was pruned and started anew", (kind, newUrl) => {
  it("is watched as any other, while somebody still watches the one before", async () => {
    const url = await newUrl();
    const [store, other] = [await closing(url), await closing(url)];
    await played(store, "over", 3);
    await store.watch("session/over", () => {});
    await prune(kind, url, await timeBehind(store));
    const guard = await played(other, "over", 0);
    const heard: number[] = [];
    await store.watch("session/over", ({ revision }) => heard.push(revision));
    await guard.addLabel("seen");
    // Before the new session has as many records as the old one.
    await eventually(async () => heard.at(-1) === 2);
  });
});

describe.skipIf(POSTGRES === null)(`pruning while a worker decides${POSTGRES_MISSING}`, () => {
  it("leaves no half of a session behind", async () => {
    const url = await newSchema();
    const store = await closing(url);
    const guard = await played(store, "over", 3);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const [commit = "", ...others] = [...statements("postgres", await timeBehind(store))].reverse();
    for (const statement of others.reverse()) await client.query(statement);
    const proposed = guard.propose(pay(1));
    const waits = "select count(*)::int as waits from pg_locks where not granted";
    await eventually(async () => (await client.query(waits)).rows[0].waits > 0);
    await client.query(commit);
    expect(told(await proposed)).toBe("store_unavailable");
    expect(await store.list({ prefix: "session/" })).toEqual([]);
    expect(await verifyStore(store)).toMatchObject({ ok: true, sessions: 0 });
  });
});
