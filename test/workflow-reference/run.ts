import { inspect } from "node:util";
import { Random } from "../differential/generate/random.js";
import { tryCompileWorkflow } from "./compile-workflow.js";
import { type Difference, type Duel, duel } from "./duel.js";
import { generateWorkflowCase, type Scenario } from "./generate.js";
import { RealSide } from "./real-side.js";
import { shrink } from "./shrink.js";

export interface RunResult {
  readonly operations: number;
  readonly workflows: number;
  /** How often the reference gave each answer. */
  readonly perWord: ReadonlyMap<string, number>;
  /** What differs, with the seed that brings it back; null where nothing does. */
  readonly mismatch: string | null;
}

const TRACES_PER_WORKFLOW = 8;

function show(value: unknown): string {
  return inspect(value, { depth: null, breakLength: 120, maxArrayLength: null, maxStringLength: 200 });
}

function describe(caseSeed: number, { pack, moves }: Scenario, difference: Difference): string {
  return [
    `they differ: case seed ${caseSeed}, move ${difference.at}, ${difference.what}`,
    `reference: ${show(difference.reference)}`,
    `real:      ${show(difference.real)}`,
    `workflow: ${JSON.stringify(pack.workflow)}`,
    ...[...pack.packs].map(([role, own]) => `pack ${role}: ${JSON.stringify(own)}`),
    ...moves.map((move, at) => `${at}: ${show(move)}`),
  ].join("\n");
}

/** Plays one scenario; a workflow that does not compile any more (while shrinking) says nothing. */
async function play({ pack, moves }: Scenario): Promise<Duel | null> {
  const artifact = tryCompileWorkflow(pack);
  if (typeof artifact === "string") return null;
  return duel(pack, moves, await RealSide.open(artifact));
}

async function explain(caseSeed: number, scenario: Scenario, found: Difference): Promise<string> {
  const fails = async (candidate: Scenario) => {
    try {
      return (await play(candidate))?.difference?.what === found.what;
    } catch {
      // Without a part that it needs, a pack can no longer be read by the reference either.
      return false;
    }
  };
  const small = await shrink(scenario, fails);
  const difference = (await play(small))?.difference ?? null;
  if (difference === null) return `case seed ${caseSeed} differs only sometimes: ${show(found)}`;
  return describe(caseSeed, small, difference);
}

/** Plays generated workflows until so many operations were compared, or two answers differ. */
export async function runWorkflows({ seed, operations }: { seed: number; operations: number }): Promise<RunResult> {
  const seeds = new Random(seed);
  const perWord = new Map<string, number>();
  let [made, workflows] = [0, 0];
  while (made < operations) {
    const caseSeed = seeds.fork();
    const scenarios = generateWorkflowCase(caseSeed, TRACES_PER_WORKFLOW);
    workflows += 1;
    for (const scenario of scenarios) {
      const duelled = await play(scenario);
      if (duelled === null) throw new Error(`case seed ${caseSeed} does not compile`);
      made += duelled.operations;
      for (const word of duelled.words) perWord.set(word, (perWord.get(word) ?? 0) + 1);
      if (duelled.difference === null) continue;
      const mismatch = await explain(caseSeed, scenario, duelled.difference);
      return { operations: made, workflows, perWord, mismatch };
    }
  }
  return { operations: made, workflows, perWord, mismatch: null };
}
