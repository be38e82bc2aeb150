import { type CallKind, isNever } from "./call-facts.js";
import type { ControlModel, Judged } from "./control-model.js";
import { type ControlState, isWithin, placeOf } from "./control-state.js";
import { ControlSteps, type Happening, type View } from "./control-steps.js";
import type { Goal } from "./goal.js";
import { MOST } from "./most.js";

/** The comparisons of states that one proof may take. */
export interface Effort {
  left: number;
}

/** What exploring a view found. */
export type Explored =
  /** No state is bad: the largest states, which include all others. */
  | { readonly kind: "safe"; readonly states: readonly ControlState[] }
  /** What leads to a bad state, as far as the view shows. */
  | { readonly kind: "bad"; readonly happenings: readonly Happening[] }
  | { readonly kind: "too_many" };

interface Node {
  readonly state: ControlState;
  readonly parent: Node | null;
  readonly happening: Happening | null;
  isSubsumed: boolean;
}

/** Recognizes the states in which the goal fails. */
class Failing {
  private readonly ways: readonly Judged[];

  constructor(
    private readonly model: ControlModel,
    private readonly goal: Goal,
  ) {
    const { tool } = model.control(goal.tool);
    const kinds: readonly CallKind[] = (goal.kind === "never" ? goal.calls : [[]]).map((further) => ({
      tool,
      further,
    }));
    this.ways = kinds.filter((kind) => !isNever(kind, model.pack)).map((kind) => model.judgedOf(kind));
  }

  in(state: ControlState, steps: ControlSteps): boolean {
    const { goal } = this;
    const control = this.model.control(goal.tool);
    switch (goal.kind) {
      case "never":
      case "without":
        return this.ways.some((judged) => steps.mayAllow(state, control, judged));
      case "after":
        return state.past === 1 && steps.mayAllow(state, control, control.judged);
      case "at_most":
        return state.past + (state.open.get(goal.tool) ?? 0) > goal.calls;
      case "phase_refuses":
        return this.refusesPhase(state);
    }
  }

  private refusesPhase({ phase, open }: ControlState): boolean {
    if (phase === null) return true;
    const { tool } = this.model.control(this.goal.tool);
    const { paths } = this.model;
    const later = [...open.keys()].map((name) => this.model.control(name).tool.advances_to);
    return [phase, ...later].some((name) => name !== null && !paths.isOpen(tool, name));
  }
}

/** Explores all states that a view shows, breadth first; of each two of which one includes the other, only the larger. */
export function explore(
  model: ControlModel,
  goal: Goal,
  view: View,
  { denied, effort }: { readonly denied: ReadonlySet<string>; readonly effort: Effort },
): Explored {
  const steps = new ControlSteps(model, view, goal, denied);
  const failing = new Failing(model, goal);
  const known = new Map<string, Node[]>();
  const queue: Node[] = [];
  const add = (node: Node) => {
    const place = placeOf(node.state);
    const others = known.get(place) ?? [];
    effort.left -= 1 + others.length;
    if (others.some(({ state }) => isWithin(node.state, state))) return;
    for (const other of others) if (isWithin(other.state, node.state)) other.isSubsumed = true;
    known.set(place, [...others.filter(({ isSubsumed }) => !isSubsumed), node]);
    queue.push(node);
  };
  add({ state: steps.first(), parent: null, happening: null, isSubsumed: false });
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at];
    if (node === undefined || node.isSubsumed) continue;
    if (failing.in(node.state, steps)) return { kind: "bad", happenings: happeningsTo(node) };
    if (queue.length > MOST.states || effort.left < 0) return { kind: "too_many" };
    for (const { happening, state } of steps.from(node.state))
      add({ state, parent: node, happening, isSubsumed: false });
  }
  return { kind: "safe", states: [...known.values()].flat().map(({ state }) => state) };
}

function happeningsTo(end: Node): readonly Happening[] {
  const found: Happening[] = [];
  for (let node: Node | null = end; node !== null; node = node.parent)
    if (node.happening !== null) found.push(node.happening);
  return found.reverse();
}
