import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { type Random, randomFrom } from "../support/random.js";
import { expectConserved, type Found } from "./conservation.js";
import { artifactFile, type Bounds, paymentsArtifact } from "./payments.js";
import type { ToolServer } from "./tool-server.js";
import { startWorker } from "./worker.js";

const BOUNDS: Bounds = { calls: 7, sum: 100 };
const FATES = ["pay", "pay", "slow", "slow", "slow", "refuse", "cut_before", "cut_after", "fail_after"];

/** What a run of rounds needs. */
export interface ChaosRun {
  readonly store: DurableStore;
  readonly url: string;
  readonly server: ToolServer;
  readonly seed: number;
}

/** What was seen in the rounds, to show that they did what they are for. */
export interface Seen {
  killed: number;
  effects: number;
  readonly ends: Set<string>;
  readonly resolved: Set<string>;
}

/** Up to six payments, one or two at a time: more than the bounds allow, once two workers make them. */
function planOf({ below, pick }: Random, name: string) {
  return Array.from({ length: 2 + below(2) }, (_, batch) =>
    Array.from({ length: 1 + below(2) }, (_, index) => ({
      reference: `${name}-${batch}-${index}`,
      amount: 1 + below(40),
      fate: pick(FATES),
      how: pick(["wrap", "propose"]),
    })),
  );
}

/** One life of a worker: killed at some instant, or left alone. */
async function live(work: object, { below }: Random): Promise<{ readonly isKilled: boolean; readonly ends: string[] }> {
  const worker = startWorker("chaos-worker", work);
  const [isEarly, isSpared, delay] = [below(8) === 0, below(5) === 0, below(90)];
  // Most are killed while they pay; a few while they open the store and the session.
  if (isEarly) await setTimeout(2 * delay);
  else await worker.said("ready");
  if (!isSpared) {
    if (!isEarly) await setTimeout(delay);
    worker.child.kill("SIGKILL");
  }
  const { signal, code, stderr } = await worker.ended;
  if (signal !== "SIGKILL") expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const ends = worker.lines.filter((line) => line.startsWith("ended ")).map((line) => line.split(" ")[2] ?? "");
  return { isKilled: signal === "SIGKILL", ends };
}

/** Two workers on one session, each killed and started again, and then the books are compared. */
async function round(run: ChaosRun, artifact: string, index: number, seen: Seen): Promise<Found> {
  const { url, server, store, seed } = run;
  const session = `chaos-${seed}-${index}`;
  const lives = async (name: string, random: Random) => {
    for (const life of ["first", "second"]) {
      const plan = planOf(random, `${session}-${name}-${life}`);
      const work = { url, server: server.url, artifact, session, plan, resolves: life === "second" };
      const { isKilled, ends } = await live(work, random);
      if (isKilled) seen.killed += 1;
      for (const end of ends) seen.ends.add(end);
    }
  };
  await Promise.all(["a", "b"].map((name, worker) => lives(name, randomFrom(seed, 2 * index + worker))));
  return expectConserved({ store, artifact: paymentsArtifact(BOUNDS), bounds: BOUNDS, session, server });
}

/** Runs rounds, a few at a time; the error of a failed one names its seed. */
export async function chaos(run: ChaosRun, rounds: number): Promise<Seen> {
  const seen: Seen = { killed: 0, effects: 0, ends: new Set(), resolved: new Set() };
  const artifact = artifactFile(paymentsArtifact(BOUNDS));
  let next = 0;
  const lane = async () => {
    while (next < rounds) {
      const index = next++;
      try {
        const { effects, resolved } = await round(run, artifact, index, seen);
        seen.effects += effects.length;
        for (const kind of resolved) seen.resolved.add(kind);
      } catch (cause) {
        next = rounds;
        throw new Error(`round ${index} of seed ${run.seed} failed: ${cause}`, { cause });
      }
    }
  };
  await Promise.all([lane(), lane()]);
  return seen;
}
