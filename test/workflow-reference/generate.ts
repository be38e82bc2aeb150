import { Random } from "../differential/generate/random.js";
import { Moves } from "./generate/moves.js";
import { someWorkflow } from "./generate/workflow.js";
import type { Move } from "./operation.js";
import type { WorkflowPack } from "./reference/model.js";
import { ReferenceSide } from "./reference-side.js";

/** A workflow and things done to it. */
export interface Scenario {
  readonly pack: WorkflowPack;
  readonly moves: readonly Move[];
}

/** A workflow that was killed answers one thing for ever; a few moves show it. */
const AFTER_KILL = 6;

/** One trace: each move is chosen knowing what the reference answered to those before. */
function someMoves(random: Random, pack: WorkflowPack): readonly Move[] {
  const side = new ReferenceSide(pack);
  const maker = new Moves(random, pack, side);
  const moves: Move[] = [];
  let left = 20 + random.below(50);
  while (left > 0) {
    const move = maker.next();
    moves.push(move);
    for (const operation of move.op === "together" ? move.operations : [move]) side.answer(operation);
    left -= 1;
    if (side.workflow.state().killed) left = Math.min(left, AFTER_KILL);
  }
  return moves;
}

/** The case of a seed, always the same: one workflow, several traces. */
export function generateWorkflowCase(seed: number, traces: number): readonly Scenario[] {
  const random = new Random(seed);
  const pack = someWorkflow(random);
  return random.list(traces, () => ({ pack, moves: someMoves(random, pack) }));
}
