import type { CompiledPack } from "../../artifact/compiled.js";
import type { Session } from "../../guard/session/session.js";
import { type Need, needsOf } from "../proof/control/call-facts.js";
import { PhasePaths } from "../proof/phase-paths.js";
import type { Node } from "./search.js";

const FAR = Number.POSITIVE_INFINITY;

/** What one tool asks for. */
interface Wants {
  readonly needs: readonly Need[];
  /** The phases that it may be called in; null for any. */
  readonly phases: readonly string[] | null;
}

/**
 * How many calls a session lacks before a tool may be called: those that its rules need, theirs in turn, and those that lead to its phase.
 * A guess that directs a search; infinite where a phase that is needed lies behind.
 */
export class GoalDistance {
  private readonly wants: ReadonlyMap<string, Wants>;
  private readonly costs = new Map<string, number>();
  private readonly steps: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The tools that were called on the way to a state. */
  private readonly called = new WeakMap<Node, ReadonlySet<string>>();

  constructor(
    pack: CompiledPack,
    private readonly target: string,
  ) {
    const paths = new PhasePaths(pack);
    const phases = [
      ...new Set(
        pack.phases === null ? [] : [pack.phases.initial, ...pack.tools.flatMap((tool) => tool.advances_to ?? [])],
      ),
    ];
    this.wants = new Map(
      pack.tools.map((tool) => {
        const open = phases.filter((phase) => paths.isOpen(tool, phase));
        const needs = needsOf({ tool, further: [] }, pack);
        return [tool.name, { needs, phases: open.length === phases.length ? null : open }];
      }),
    );
    const next = (phase: string) =>
      pack.tools.flatMap((tool) => (tool.advances_to !== null && paths.isOpen(tool, phase) ? [tool.advances_to] : []));
    this.steps = new Map(phases.map((phase) => [phase, distancesFrom(phase, next)]));
    this.estimate();
  }

  /** The cost of providing each tool from nothing; those that need each other have none. */
  private estimate(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [name, { needs }] of this.wants) {
        const cost =
          1 + needs.reduce((sum, { tools }) => sum + Math.min(...tools.map((tool) => this.costs.get(tool) ?? FAR)), 0);
        if (cost >= (this.costs.get(name) ?? FAR)) continue;
        this.costs.set(name, cost);
        changed = true;
      }
    }
  }

  /** How far a state is from a call of the tool. */
  from(node: Node, { phase }: Pick<Session, "phase">): number {
    const called = this.calledBefore(node);
    const required = new Set([this.target]);
    for (const name of required) {
      for (const { tools } of this.wants.get(name)?.needs ?? []) {
        if (tools.some((tool) => called.has(tool) || required.has(tool))) continue;
        const [best] = [...tools]
          .filter((tool) => this.costs.has(tool) && this.stepsTo(tool, phase) !== FAR)
          .sort((a, b) => (this.costs.get(a) ?? FAR) - (this.costs.get(b) ?? FAR));
        if (best === undefined) return FAR;
        required.add(best);
      }
    }
    return required.size - 1 + this.stepsTo(this.target, phase);
  }

  private stepsTo(tool: string, phase: string | null): number {
    const phases = this.wants.get(tool)?.phases ?? null;
    if (phases === null || phase === null) return 0;
    const distances = this.steps.get(phase);
    return Math.min(FAR, ...phases.map((other) => distances?.get(other) ?? FAR));
  }

  private calledBefore({ parent, action, isRejected }: Node): ReadonlySet<string> {
    if (parent === null) return new Set();
    const known = this.called.get(parent) ?? this.calledBefore(parent);
    this.called.set(parent, known);
    return action?.kind === "call" && isRejected !== true ? new Set([...known, action.tool]) : known;
  }
}

/** The number of calls from one phase to each that they lead to. */
function distancesFrom(start: string, next: (phase: string) => readonly string[]): ReadonlyMap<string, number> {
  const found = new Map([[start, 0]]);
  for (const [phase, distance] of found) {
    for (const other of next(phase)) if (!found.has(other)) found.set(other, distance + 1);
  }
  return found;
}
