import type { CompiledPack } from "../../../artifact/compiled.js";
import { ControlModel } from "./control-model.js";
import type { ControlState } from "./control-state.js";
import { keptIn, type View } from "./control-steps.js";
import { type Effort, explore } from "./fixpoint.js";
import type { Goal } from "./goal.js";
import { MOST } from "./most.js";
import { deniedSets } from "./principals.js";
import { firstView, refined } from "./refine.js";

/** A set of states that no session leaves, for principals that are refused the `denied` tools at least. */
export interface ControlRegion {
  readonly denied: ReadonlySet<string>;
  readonly view: View;
  /** The tools of which it is kept whether they were committed. */
  readonly kept: ReadonlySet<string>;
  readonly states: readonly ControlState[];
}

/** Why a goal is never missed: a set of states for each kind of principal. */
export interface ControlProof {
  readonly goal: Goal;
  readonly regions: readonly ControlRegion[];
}

/** Proves goals by exploring what sessions may do, without values; refined by what refutes each failed attempt. */
export class ControlProver {
  private readonly model: ControlModel;
  private readonly kinds: readonly ReadonlySet<string>[];

  constructor(pack: CompiledPack) {
    this.model = new ControlModel(pack);
    this.kinds = deniedSets(pack);
  }

  /** Null if it is not proved. */
  proofOf(goal: Goal): ControlProof | null {
    const regions: ControlRegion[] = [];
    const effort = { left: MOST.effort };
    for (const denied of this.kinds) {
      const region = this.regionOf(goal, denied, effort);
      if (region === null) return null;
      regions.push(region);
    }
    return { goal, regions };
  }

  private regionOf(goal: Goal, denied: ReadonlySet<string>, effort: Effort): ControlRegion | null {
    let view: View | null = firstView(this.model, goal);
    for (let tries = 0; view !== null && tries < MOST.views; tries++) {
      const explored = explore(this.model, goal, view, { denied, effort });
      if (explored.kind === "safe") {
        const { committed: kept } = keptIn(this.model, view, goal);
        return { denied, view, kept, states: explored.states };
      }
      view = explored.kind === "bad" ? refined(this.model, goal, view, explored.happenings) : null;
    }
    return null;
  }
}
