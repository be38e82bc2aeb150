import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { isFull } from "../support/size.js";
import { storeFolder } from "../support/store-folder.js";
import { expectConserved, openAgain } from "./conservation.js";
import { artifactFile, type Bounds, paymentsArtifact } from "./payments.js";
import { eventsOf, recordsOf } from "./session-log.js";
import { ToolServer } from "./tool-server.js";
import { startWorker } from "./worker.js";

const BOUNDS: Bounds = { calls: 3, sum: 700 };

/** Every request that a session makes to its store, and how many records of the session it adds. */
const REQUESTS = [
  "open load 0",
  "open list 0",
  "open append 0",
  "open append 1",
  "step append 1",
  "cost append 1",
  "label append 1",
  "keyed propose append 1",
  "keyed settle append 1",
  "wrapped append 1",
  "wrapped append 1",
  "approved propose append 1",
  "approved colleague load 0",
  "approved answer load 0",
  "approved answer append 2",
  "approved resume load 0",
  "approved resume append 2",
  "approved settle append 1",
  "kill append 1",
];

/** A place to crash: at a request, before it is sent or after it was answered. */
interface CrashPoint {
  readonly at: number;
  readonly when: "before" | "after";
}

const POINTS: readonly CrashPoint[] = REQUESTS.flatMap((_, index) => [
  { at: index + 1, when: "before" },
  { at: index + 1, when: "after" },
]);

/** A worker pays between these requests and the ones before them; before all others the store is as it was after the last one. */
const PAID_BEFORE = ["keyed settle append 1", "wrapped append 1", "approved settle append 1"].map(
  (request) => REQUESTS.lastIndexOf(request) + 1,
);

const DIFFERENT = POINTS.filter(({ at, when }) => when === "after" || at === 1 || PAID_BEFORE.includes(at));

/** The normal run tries each state of store and payments on one of the two stores, the full run each place on both. */
function pointsOn(half: 0 | 1): [number, CrashPoint][] {
  if (isFull() || POSTGRES === null) return [...POINTS.entries()];
  return [...DIFFERENT.filter((_, index) => index % 2 === half).entries()];
}

const requestsIn = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith("request ")).map((line) => line.slice("request ".length));
const recordsAfter = (requests: readonly string[]) =>
  requests.reduce((sum, request) => sum + Number(request.split(" ").at(-1)), 0);

interface Place {
  readonly server: ToolServer;
  readonly artifact: string;
  readonly newUrl: () => Promise<string>;
}

/** Kills a worker at a point, checks what is left, starts another, and checks that it went on. */
async function crashAt({ server, artifact, newUrl }: Place, point: CrashPoint, index: number): Promise<void> {
  const url = await newUrl();
  const session = `crash-${index}-${url.slice(0, 3)}`;
  const work = { url, server: server.url, artifact, session };
  const victim = startWorker("life-worker", { ...work, isFirst: true, dies: point });
  expect(await victim.ended).toEqual({ code: null, signal: "SIGKILL", stderr: "" });

  const store = await openStore(url, { timeoutMs: 20_000 });
  onTestFinished(() => store.close());
  const records = await recordsOf(store, session);
  const isSent = point.when === "after";
  expect(records).toHaveLength(recordsAfter(REQUESTS.slice(0, isSent ? point.at : point.at - 1)));
  const left = { store, artifact: paymentsArtifact(BOUNDS), bounds: BOUNDS, session, server };
  const isSettledLater = index % 2 === 0;
  // Half of them leave what is unsettled to the next worker, the others to an operator.
  if (!isSettledLater) await expectConserved(left);

  const next = startWorker("life-worker", { ...work, isFirst: false });
  expect(await next.ended).toEqual({ code: 0, signal: null, stderr: "" });
  const { effects, calls } = await expectConserved(left);
  expect(calls.filter(({ end }) => end === "running")).toEqual([]);
  // Each payment once; one that was reserved and not sent is released, and its key is used up.
  expect(effects.length).toBeLessThanOrEqual(3);
  const guard = await openAgain(left);
  expect(guard.state()).toMatchObject({ killed: true, cost: 1, labels: ["seen"] });
  const kinds = eventsOf(await recordsOf(store, session)).map(({ kind }) => kind);
  for (const once of ["step_begun", "cost_recorded", "label_added", "killed"]) {
    expect(kinds.filter((kind) => kind === once)).toEqual([once]);
  }
}

async function crashEverywhere(newUrl: () => Promise<string>, half: 0 | 1): Promise<void> {
  const server = await ToolServer.start();
  const place = { server, artifact: artifactFile(paymentsArtifact(BOUNDS)), newUrl };
  const waiting = pointsOn(half);
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, point] = next;
      try {
        await crashAt(place, point, index);
      } catch (cause) {
        waiting.length = 0;
        throw new Error(`${point.when} request ${point.at}, ${REQUESTS[point.at - 1]}: ${cause}`, { cause });
      }
    }
  };
  await Promise.all([lane(), lane(), lane()]);
}

describe.each([
  { kind: "sqlite", half: 0, isMissing: false, newUrl: async () => `sqlite:${join(storeFolder(), "guard.db")}` },
  { kind: `postgres${POSTGRES_MISSING}`, half: 1, isMissing: POSTGRES === null, newUrl: () => newSchema() },
] as const)("a process that dies, on $kind", ({ half, isMissing, newUrl }) => {
  it.skipIf(isMissing)("makes the requests of the list, and all of them", { timeout: 60_000 }, async () => {
    const server = await ToolServer.start();
    const artifact = artifactFile(paymentsArtifact(BOUNDS));
    const work = { url: await newUrl(), server: server.url, artifact, session: "whole", isFirst: true };
    const worker = startWorker("life-worker", work);
    expect(await worker.ended).toEqual({ code: 0, signal: null, stderr: "" });
    expect(requestsIn(worker.lines)).toEqual(REQUESTS);
    expect(await server.effects("whole")).toHaveLength(3);
  });

  it.skipIf(isMissing)(
    "before or after any of them loses nothing and doubles nothing",
    { timeout: 300_000 },
    async () => {
      await crashEverywhere(newUrl, half);
    },
  );
});
