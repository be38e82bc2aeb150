import { inspect } from "node:util";
import { type CreateGuard, loadGuard } from "./adapter.js";
import { compileGenerated, tryCompile } from "./compile-pack.js";
import { type Difference, type Duel, duel } from "./duel.js";
import { Random } from "./generate/random.js";
import type { Trace } from "./generate/trace.js";
import { generateCase } from "./generate.js";
import { hasExpressions } from "./reference/expressions.js";
import { type Scenario, shrink } from "./shrink.js";

/** A difference made small, with the seed that brings the whole case back. */
export interface Mismatch {
  readonly caseSeed: number;
  readonly scenario: Scenario;
  readonly difference: Difference;
  readonly text: string;
}

export interface RunResult {
  readonly decisions: number;
  readonly packs: number;
  /** How many of them have expressions. */
  readonly withExpressions: number;
  /** How often the reference gave each reason, and how often what else is counted happened. */
  readonly perReason: ReadonlyMap<string, number>;
  readonly mismatch: Mismatch | null;
  /** Differences that were gone when their session was played again: the machine was too busy for the time limits of stores. */
  readonly stalls: number;
}

const TRACES_PER_PACK = 16;

function show(value: unknown): string {
  return inspect(value, { depth: null, breakLength: 120, maxArrayLength: null });
}

function describe(caseSeed: number, { pack, trace }: Scenario, difference: Difference): string {
  return [
    `the guards differ: case seed ${caseSeed}, operation ${difference.at}, ${difference.what}`,
    `reference: ${show(difference.reference)}`,
    `guard:     ${show(difference.guard)}`,
    `pack: ${JSON.stringify(pack)}`,
    `setting: ${show(trace.setting)}`,
    ...trace.operations.map((operation, at) => `${at}: ${show(operation)}`),
  ].join("\n");
}

/** Plays one scenario; a pack that does not compile any more (while shrinking) says nothing. */
async function play({ pack, trace }: Scenario, create: CreateGuard): Promise<Difference | null> {
  const artifact = tryCompile(pack);
  if (typeof artifact === "string") return null;
  return (await duel(pack, trace, { create, artifact })).difference;
}

async function explain(caseSeed: number, scenario: Scenario, duelled: Duel, create: CreateGuard): Promise<Mismatch> {
  const fails = async (candidate: Scenario): Promise<boolean> => {
    const found = await play(candidate, create);
    return found !== null && found.what === duelled.difference?.what;
  };
  const small = await shrink(scenario, fails);
  const difference = await play(small, create);
  if (difference === null) {
    const { difference: once } = duelled;
    throw new Error(`case seed ${caseSeed} differs only sometimes: ${show(once)}`);
  }
  return { caseSeed, scenario: small, difference, text: describe(caseSeed, small, difference) };
}

/** Whether the guard gave up its store, which a pause of the machine leads to as well. */
function isOfStore({ guard }: Difference): boolean {
  return /StoreUnavailable|store_unavailable|store_contended/.test(show(guard));
}

/** Plays generated cases until so many decisions were compared, or two differ. */
export async function runCases({ seed, decisions }: { seed: number; decisions: number }): Promise<RunResult> {
  const create = await loadGuard();
  const seeds = new Random(seed);
  const perReason = new Map<string, number>();
  let [made, packs, withExpressions, stalls] = [0, 0, 0, 0];
  const result = (mismatch: Mismatch | null): RunResult => ({
    decisions: made,
    packs,
    withExpressions,
    perReason,
    mismatch,
    stalls,
  });
  while (made < decisions) {
    const caseSeed = seeds.fork();
    const { pack, traces } = generateCase(caseSeed, TRACES_PER_PACK);
    const artifact = compileGenerated(pack);
    if (artifact === null) continue;
    packs += 1;
    if (hasExpressions(pack)) withExpressions += 1;
    // At the same time, so that the pauses of one session do not delay the others.
    const duelOf = async (trace: Trace) => ({ trace, duelled: await duel(pack, trace, { create, artifact }) });
    const duels = await Promise.all(traces.map(duelOf));
    for (const { trace, duelled } of duels) {
      made += duelled.decisions;
      for (const reason of duelled.reasons) perReason.set(reason, (perReason.get(reason) ?? 0) + 1);
      if (duelled.difference === null) continue;
      if (isOfStore(duelled.difference) && (await play({ pack, trace }, create)) === null) {
        stalls += 1;
        continue;
      }
      return result(await explain(caseSeed, { pack, trace }, duelled, create));
    }
  }
  return result(null);
}
