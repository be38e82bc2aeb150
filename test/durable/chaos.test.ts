import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { storeFolder } from "../support/store-folder.js";
import { chaos } from "./chaos.js";
import { ToolServer } from "./tool-server.js";

const SEED = seedOf("CHAOS_SEED", 14);
const ROUNDS = sizeOf("CHAOS_ROUNDS", { share: 20, full: 500 });
/** Fewer do not show everything. */
const TELLING = 15;
const { CHAOS_STORE } = process.env;
const TIMEOUT = { timeout: 30_000 + ROUNDS * 10_000 };

async function survives(url: string): Promise<void> {
  const store = await openStore(url, { timeoutMs: 20_000 });
  onTestFinished(() => store.close());
  const { killed, effects, ends, resolved } = await chaos(
    { store, url, server: await ToolServer.start(), seed: SEED },
    ROUNDS,
  );
  if (ROUNDS < TELLING) return;
  // The rounds had everything in them that may go wrong.
  expect(killed).toBeGreaterThan(ROUNDS);
  expect(effects).toBeGreaterThan(ROUNDS);
  expect([...resolved].sort()).toEqual(["did_not_happen", "happened"]);
  for (const end of ["paid", "failed", "session_limit_exceeded", "aggregate_exceeded"]) expect(ends).toContain(end);
}

describe(`workers that are killed at any instant and started again (seed ${SEED})`, () => {
  const isMeant = (store: string) => CHAOS_STORE === undefined || CHAOS_STORE === store;

  it.skipIf(!isMeant("sqlite"))("pay nothing twice, unnoticed or beyond a bound, on sqlite", TIMEOUT, async () => {
    await survives(`sqlite:${join(storeFolder(), "guard.db")}`);
  });

  it.skipIf(!isMeant("postgres") || POSTGRES === null)(
    `pay nothing twice, unnoticed or beyond a bound, on postgres${POSTGRES_MISSING}`,
    TIMEOUT,
    async () => {
      await survives(await newSchema());
    },
  );
});
