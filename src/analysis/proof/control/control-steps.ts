import type { ControlModel, Judged, ToolControl } from "./control-model.js";
import type { ControlState } from "./control-state.js";
import { type Counter, exceeds, roomFor } from "./counters.js";
import type { Goal } from "./goal.js";

/** What a proof looks at; all else may be any way. */
export interface View {
  readonly tools: readonly string[];
  readonly hasPhases: boolean;
  readonly counters: readonly Counter[];
}

/** The tools whose calls some rule in view asks about: of others it does not matter whether they were committed, or allowed. */
export interface Kept {
  readonly committed: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
}

/** What calls of the tools in view need, those that break the goal included. */
export function keptIn(model: ControlModel, { tools }: View, goal: Goal): Kept {
  const { tool } = model.control(goal.tool);
  const ways = goal.kind === "never" ? goal.calls.map((further) => model.judgedOf({ tool, further })) : [];
  const needs = [...tools.map((name) => model.control(name).judged), ...ways].flatMap((judged) => judged.needs);
  const keptOf = (isCommitted: boolean) => {
    const asked = needs.filter((need) => need.isCommitted === isCommitted).flatMap((need) => need.tools);
    return new Set(asked.filter((name) => tools.includes(name)));
  };
  return { committed: keptOf(true), allowed: keptOf(false) };
}

function added(set: ReadonlySet<string>, name: string, kept: ReadonlySet<string>): ReadonlySet<string> {
  return kept.has(name) && !set.has(name) ? new Set([...set, name]) : set;
}

/** One thing that happens in a session. */
export interface Happening {
  readonly kind: "allowed" | "committed" | "violated" | "lost";
  readonly tool: string;
}

export interface Next {
  readonly happening: Happening;
  readonly state: ControlState;
}

/** The steps between states: everything that the guard may allow, and every way in which a call may end. */
export class ControlSteps {
  private readonly names: ReadonlySet<string>;
  private readonly kept: Kept;

  constructor(
    private readonly model: ControlModel,
    private readonly view: View,
    private readonly goal: Goal,
    /** The tools that are refused to the session's principal. */
    private readonly denied: ReadonlySet<string>,
  ) {
    this.names = new Set(view.tools);
    this.kept = keptIn(model, view, goal);
  }

  first(): ControlState {
    const { pack } = this.model;
    return {
      phase: this.view.hasPhases ? (pack.phases?.initial ?? null) : null,
      past: 0,
      committed: new Set(),
      allowed: new Set(),
      open: new Map(),
      counts: this.view.counters.map(() => 0),
    };
  }

  *from(state: ControlState): Generator<Next> {
    for (const name of this.view.tools) {
      const control = this.model.control(name);
      const allowed = this.afterAllowed(state, control);
      if (allowed !== null) yield { happening: { kind: "allowed", tool: name }, state: allowed };
      if ((state.open.get(name) ?? 0) === 0) continue;
      for (const kind of ["committed", "violated", "lost"] as const) {
        const ended = this.afterEnd(state, control, kind);
        if (ended !== null) yield { happening: { kind, tool: name }, state: ended };
      }
    }
  }

  /** Whether a call may be allowed in some session of a state, judged in a way. */
  mayAllow(state: ControlState, { tool, isNever }: ToolControl, judged: Judged): boolean {
    if (isNever || this.denied.has(tool.name)) return false;
    if (state.phase !== null && !this.model.paths.isOpen(tool, state.phase)) return false;
    const isMet = ({ isCommitted, tools }: Judged["needs"][number]) =>
      tools.some((name) => this.isUnseen(name) || (isCommitted ? state.committed : state.allowed).has(name));
    if (!judged.needs.every(isMet)) return false;
    return this.view.counters.every((counter, at) => {
      const added = judged.adds.get(counter);
      return added === undefined || !exceeds((state.counts[at] ?? 0) + added, counter.most);
    });
  }

  /** Whether calls of a tool may have happened that the view does not show. */
  private isUnseen(name: string): boolean {
    return !this.names.has(name) && !this.model.control(name).isNever && !this.denied.has(name);
  }

  private afterAllowed(state: ControlState, control: ToolControl): ControlState | null {
    const { tool, judged } = control;
    const { goal } = this;
    const { name, advances_to: next } = tool;
    if (!this.mayAllow(state, control, judged)) return null;
    const isAtOnce = tool.commits === "at_dispatch";
    if (isAtOnce && goal.kind === "without" && goal.other === name) return null;
    const open = new Map([...state.open].filter(([other]) => this.mayStayOpen(control, other, state)));
    if (!isAtOnce) open.set(name, this.refusesItself(control, state) ? 1 : Number.POSITIVE_INFINITY);
    return this.capped({
      phase: isAtOnce && state.phase !== null && next !== null ? next : state.phase,
      past: isAtOnce ? this.pastAfter(state, name, true) : state.past,
      committed: isAtOnce ? added(state.committed, name, this.kept.committed) : state.committed,
      allowed: added(state.allowed, name, this.kept.allowed),
      open,
      counts: isAtOnce ? this.counted(state, name) : state.counts,
    });
  }

  private refusesItself(control: ToolControl, state: ControlState): boolean {
    return !this.mayStayOpen(control, control.tool.name, state);
  }

  /** Whether a call is allowed while one of another tool is open: it must be legal however that one ends. */
  private mayStayOpen({ tool }: ToolControl, name: string, { phase }: ControlState): boolean {
    const other = this.model.control(name).tool;
    const next = phase === null ? null : other.advances_to;
    return (next === null || this.model.paths.isOpen(tool, next)) && !this.model.awaits(tool, other);
  }

  private afterEnd(
    state: ControlState,
    { tool }: ToolControl,
    kind: "committed" | "violated" | "lost",
  ): ControlState | null {
    const { goal } = this;
    const { name, advances_to: next } = tool;
    const isCommitted = kind === "committed";
    const isWatched = goal.kind === "at_most" && goal.tool === name;
    // Only a read that may have happened all the same is both released and counted by a claim.
    if (kind === "lost" && !(isWatched && tool.side_effect === "read")) return null;
    if (isCommitted && goal.kind === "without" && goal.other === name) return null;
    const open = new Map(state.open);
    const left = (open.get(name) ?? 0) - 1;
    if (left > 0) open.set(name, left);
    else open.delete(name);
    return this.capped({
      phase: isCommitted && state.phase !== null && next !== null ? next : state.phase,
      past: this.pastAfter(state, name, isCommitted),
      committed: isCommitted ? added(state.committed, name, this.kept.committed) : state.committed,
      allowed: state.allowed,
      open,
      counts: kind === "lost" ? state.counts : this.counted(state, name),
    });
  }

  private pastAfter({ past }: ControlState, name: string, isCommitted: boolean): number {
    const { goal } = this;
    if (goal.kind === "after") return isCommitted && goal.other === name ? 1 : past;
    return goal.kind === "at_most" && goal.tool === name ? Math.min(past + 1, goal.calls + 1) : past;
  }

  private counted({ counts }: ControlState, name: string): readonly number[] {
    return this.view.counters.map(({ weights, most, isLimit }, at) => {
      const sum = (counts[at] ?? 0) + (weights.get(name) ?? 0);
      return isLimit ? sum : Math.min(sum, most);
    });
  }

  /** Without open calls that a limit leaves no room for; null if no session is in the state. */
  private capped(state: ControlState): ControlState | null {
    const open = new Map(state.open);
    for (const [at, { isLimit, weights, most }] of this.view.counters.entries()) {
      if (!isLimit) continue;
      const used = state.counts[at] ?? 0;
      if (exceeds(used, most)) return null;
      for (const [name, calls] of open) {
        const room = Math.min(calls, roomFor(weights.get(name) ?? 0, used, most));
        if (room > 0) open.set(name, room);
        else open.delete(name);
      }
    }
    return { ...state, open };
  }
}
