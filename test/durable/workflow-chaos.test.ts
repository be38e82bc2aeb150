import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { storeFolder } from "../support/store-folder.js";
import { workflowChaos } from "./workflow-chaos.js";

const SEED = seedOf("WORKFLOW_CHAOS_SEED", 15);
const PROCESSES = 4;
const SESSIONS = sizeOf("WORKFLOW_CHAOS_SESSIONS", { share: 8, full: 50 });
const { CHAOS_STORE } = process.env;
const TIMEOUT = { timeout: 120_000 + SESSIONS * 10_000 };

async function survives(url: string): Promise<void> {
  const store = await openStore(url, { timeoutMs: 20_000 });
  onTestFinished(() => store.close());
  const seen = await workflowChaos({ url, store, seed: SEED, processes: PROCESSES, sessions: SESSIONS });
  console.info({ ...seen, words: [...seen.words].filter((word) => !/\d/.test(word)) });
  // One that comes late finds that the others have had all the sessions there are.
  expect(seen.killed).toBeGreaterThanOrEqual(PROCESSES / 2);
  expect(seen.settled).toBeGreaterThan(0);
  for (const word of ["allow", "resource_conflict", "workflow_limit_exceeded"]) expect(seen.words).toContain(word);
}

describe(`${PROCESSES} processes of ${SESSIONS} sessions that are killed at any instant (seed ${SEED})`, () => {
  const isMeant = (store: string) => CHAOS_STORE === undefined || CHAOS_STORE === store;

  it.skipIf(!isMeant("sqlite"))(
    "never have a resource twice, nor more sessions than allowed, on sqlite",
    TIMEOUT,
    async () => {
      await survives(`sqlite:${join(storeFolder(), "guard.db")}`);
    },
  );

  it.skipIf(!isMeant("postgres") || POSTGRES === null)(
    `never have a resource twice, nor more sessions than allowed, on postgres${POSTGRES_MISSING}`,
    TIMEOUT,
    async () => {
      await survives(await newSchema());
    },
  );
});
