import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { sizeOf } from "../support/size.js";
import { storeFolder } from "../support/store-folder.js";
import { openAgain } from "./conservation.js";
import { artifactFile, type Bounds, paymentsArtifact } from "./payments.js";
import { callsOf, eventsOf, recordsOf } from "./session-log.js";
import { startWorker } from "./worker.js";

const PROCESSES = 8;
const CALLS = sizeOf("CONCURRENT_CALLS", { share: 25, full: 1_000 });
/** A hundred in the full size. */
const SESSIONS = Math.max(5, Math.floor(CALLS / 10));
const TIMEOUT = { timeout: 60_000 + PROCESSES * CALLS * 100 };

/** What the workers said of one session. */
interface Said {
  readonly paid: { readonly reference: string; readonly amount: number }[];
  readonly refused: { readonly reference: string; readonly reason: string }[];
}

/** Lets all processes make their calls; returns what they said, by session. */
async function together(url: string, sessions: readonly string[], bounds: Bounds): Promise<ReadonlyMap<string, Said>> {
  const artifact = artifactFile(paymentsArtifact(bounds));
  const workers = Array.from({ length: PROCESSES }, (_, writer) =>
    startWorker("many-worker", { url, artifact, sessions, calls: CALLS, writer, lanes: sessions.length > 1 ? 4 : 1 }),
  );
  for (const { ended } of workers) expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });
  const said = new Map<string, Said>(sessions.map((session) => [session, { paid: [], refused: [] }]));
  for (const line of workers.flatMap(({ lines }) => lines)) {
    const [word, reference = "", rest = ""] = line.split(" ");
    const of = said.get(reference.split("/")[0] ?? "");
    if (word === "paid") of?.paid.push({ reference, amount: Number(rest) });
    if (word === "refused") of?.refused.push({ reference, reason: rest });
  }
  return said;
}

const sorted = (items: readonly { readonly reference: string }[]) => items.map(({ reference }) => reference).sort();

/** What was done is what is recorded: every payment once, every refusal once, and nothing else. */
async function expectRecorded(
  store: DurableStore,
  { session, bounds, said }: { readonly session: string; readonly bounds: Bounds; readonly said: Said },
): Promise<void> {
  const records = await recordsOf(store, session);
  const calls = callsOf(eventsOf(records));
  expect(calls.filter(({ end }) => end !== "committed")).toEqual([]);
  expect(sorted(calls)).toEqual(sorted(said.paid));
  const notes = records.flatMap(({ content }) => ("sealed" in content ? [] : (content.note ?? [])));
  expect(notes.filter(({ verdict }) => verdict?.kind === "allow")).toHaveLength(said.paid.length);
  expect(notes.filter(({ verdict }) => verdict?.kind === "block")).toHaveLength(said.refused.length);
  expect(notes.filter(({ settlement }) => settlement !== undefined)).toHaveLength(said.paid.length);
  expect(notes.filter(({ opened }) => opened !== undefined)).toHaveLength(1);
  expect(records).toHaveLength(1 + 2 * said.paid.length + said.refused.length);
  const paid = said.paid.reduce((sum, { amount }) => sum + amount, 0);
  const guard = await openAgain({ store, artifact: paymentsArtifact(bounds), session });
  expect(guard.state()).toMatchObject({ toolCalls: calls.length, aggregates: { paid }, unsettled: [] });
}

async function opened(url: string): Promise<DurableStore> {
  const store = await openStore(url, { timeoutMs: 20_000 });
  onTestFinished(() => store.close());
  return store;
}

describe.each([
  { kind: "sqlite", isMissing: false, newUrl: async () => `sqlite:${join(storeFolder(), "guard.db")}` },
  { kind: `postgres${POSTGRES_MISSING}`, isMissing: POSTGRES === null, newUrl: () => newSchema() },
])(`${PROCESSES} processes that make ${CALLS} calls each, on $kind`, ({ isMissing, newUrl }) => {
  it.skipIf(isMissing)("stop at the limit of one session, to the call", TIMEOUT, async () => {
    const url = await newUrl();
    const all = PROCESSES * CALLS;
    const bounds = { calls: Math.floor(all * 0.7), sum: 3 * all };
    const said = await together(url, ["one"], bounds);
    const one = said.get("one") ?? { paid: [], refused: [] };
    expect(one.paid).toHaveLength(bounds.calls);
    expect(one.refused).toHaveLength(all - bounds.calls);
    expect(new Set(one.refused.map(({ reason }) => reason))).toEqual(new Set(["session_limit_exceeded"]));
    await expectRecorded(await opened(url), { session: "one", bounds, said: one });
  });

  it.skipIf(isMissing)(`stay within the sums of ${SESSIONS} sessions`, TIMEOUT, async () => {
    const url = await newUrl();
    const sessions = Array.from({ length: SESSIONS }, (_, index) => `of-many-${index}`);
    // Of about twice as much that is asked for.
    const bounds = { calls: 1_000_000, sum: Math.ceil((PROCESSES * CALLS) / sessions.length) };
    const said = await together(url, sessions, bounds);
    const store = await opened(url);
    for (const [session, of] of said) {
      const paid = of.paid.reduce((sum, { amount }) => sum + amount, 0);
      expect(paid).toBeLessThanOrEqual(bounds.sum);
      // As much as is possible: no payment is larger than 3.
      expect(paid).toBeGreaterThan(bounds.sum - 3);
      await expectRecorded(store, { session, bounds, said: of });
    }
    expect([...said.values()].reduce((sum, { paid, refused }) => sum + paid.length + refused.length, 0)).toBe(
      PROCESSES * CALLS,
    );
  });
});
