import { Graph } from "@dagrejs/graphlib";
import type { Draft } from "../../language/draft.js";
import type { WorkflowContract } from "../../language/schema/workflow.js";
import type { RuleContext } from "../rule-context.js";
import { groupsOf, reachedFrom } from "./graph-walks.js";

/** A handoff that the workflow declares. */
export interface Handoff {
  readonly from: string;
  readonly to: string;
  /** Whether the child goes on when its parent ends; every other child ends with it, or can do nothing more. */
  readonly isAbandoned: boolean;
  readonly draft: Draft<NonNullable<WorkflowContract["handoffs"]>[number]>;
}

/** graphlib keeps nodes in plain objects, where a role called `__proto__` would reach every object of the process. */
const node = (name: string) => `role ${name}`;
const nameOf = (id: string) => id.slice(node("").length);

function handoffsOf({ handoffs, parent_close_policy: closing }: Draft<WorkflowContract>): readonly Handoff[] {
  return (handoffs ?? []).flatMap((draft) => {
    const { from, to, parent_close_policy: own } = draft;
    if (from === undefined || to === undefined) return [];
    return [{ from, to, isAbandoned: (own ?? closing?.default) === "abandon", draft }];
  });
}

/** The roles of a workflow without errors, and the handoffs that lead from one to another. */
export class HandoffGraph {
  readonly roles: readonly string[];
  readonly handoffs: readonly Handoff[];
  /** The roles that sessions start in; every other role is entered by a handoff only. */
  readonly roots: readonly string[];
  private readonly graph = new Graph({ directed: true });
  private readonly leaving = new Map<string, Handoff[]>();
  private readonly distances: ReadonlyMap<string, number>;
  private readonly entered = new Map<number, ReadonlySet<string>>();
  private readonly alone: ReadonlySet<string>;
  private readonly underFree: ReadonlySet<string>;

  constructor(workflow: Draft<WorkflowContract>) {
    this.roles = (workflow.roles ?? []).flatMap(({ name }) => name ?? []);
    this.handoffs = handoffsOf(workflow);
    const targets = new Set(this.handoffs.map(({ to }) => to));
    this.roots = this.roles.filter((role) => !targets.has(role));
    const abandoning = this.handoffs.filter(({ isAbandoned }) => isAbandoned);
    this.alone = new Set([...this.roots, ...abandoning.flatMap(({ from, to }) => (from === to ? [] : to))]);
    const free = new Set([...this.roots, ...abandoning.map(({ to }) => to)]);
    this.underFree = new Set(this.handoffs.flatMap(({ from, to }) => (free.has(from) ? to : [])));
    for (const role of this.roles) this.graph.setNode(node(role));
    for (const handoff of this.handoffs) {
      this.graph.setEdge(node(handoff.from), node(handoff.to));
      const known = this.leaving.get(handoff.from);
      if (known === undefined) this.leaving.set(handoff.from, [handoff]);
      else known.push(handoff);
    }
    this.distances = this.measure();
  }

  /** The sessions on the shortest way to a role, its own included; undefined where no root leads to it. */
  sessionsTo(role: string): number | undefined {
    return this.distances.get(role);
  }

  /** The groups of roles that are handed work by each other only, so that none of them can be the first. */
  cyclesWithoutRoot(): readonly (readonly string[])[] {
    const reached = reachedFrom(this.graph, this.roots.map(node));
    const order = new Map(this.roles.map((role, index) => [role, index]));
    const isClosed = (group: readonly string[]) => {
      const members = new Set(group);
      return group.every((id) => (this.graph.predecessors(id) ?? []).every((from: string) => members.has(from)));
    };
    return groupsOf(this.graph)
      .filter(([first = ""]) => !reached.has(first))
      .filter(isClosed)
      .map((group) => group.map(nameOf).sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)));
  }

  /**
   * Whether a session of the role may go on when every other one has ended; any other needs its parent. A role that only its own
   * sessions abandon is none: the first of them to do so has a parent.
   */
  isAlone(role: string): boolean {
    return this.alone.has(role);
  }

  /** Whether some session may hand off to the role that is no open handoff itself. */
  hasFreeParent(role: string): boolean {
    return this.underFree.has(role);
  }

  /** Whether the role hands off to itself. */
  isRepeated(role: string): boolean {
    return (this.leaving.get(role) ?? []).some(({ to }) => to === role);
  }

  /**
   * The roles that chains of handoffs enter with at most this many sessions active at once, if every parent stays active
   * while its child works. Only a handoff that abandons the child lets the parent end before.
   */
  enteredWithin(most: number): ReadonlySet<string> {
    const known = this.entered.get(most) ?? new Set(this.chainsWithin(most).keys());
    this.entered.set(most, known);
    return known;
  }

  /** Every role that is entered, with the fewest sessions that are then active. */
  private chainsWithin(most: number): ReadonlyMap<string, number> {
    const chains = new Map<string, number>();
    const first = most < 1 ? [] : [...this.roots];
    const longer: (readonly [role: string, chain: number])[] = [];
    const enter = (role: string, chain: number) => {
      if (chain >= (chains.get(role) ?? Number.POSITIVE_INFINITY)) return;
      chains.set(role, chain);
      if (chain + 1 > most) return;
      for (const { to, isAbandoned } of this.leaving.get(role) ?? []) {
        if (isAbandoned) first.push(to);
        else longer.push([to, chain + 1]);
      }
    };
    // Shorter chains first, so that few roles are entered again by a shorter one.
    for (let at = 0; first.length > 0 || at < longer.length; ) {
      const role = first.pop();
      const [next, chain] = role === undefined ? (longer[at++] ?? ["", 0]) : [role, 1];
      enter(next, chain);
    }
    return chains;
  }

  private measure(): ReadonlyMap<string, number> {
    const distances = new Map(this.roots.map((role) => [role, 1]));
    // Iterating a map also visits entries added meanwhile, so this is breadth first.
    for (const [role, distance] of distances) {
      for (const { to } of this.leaving.get(role) ?? []) if (!distances.has(to)) distances.set(to, distance + 1);
    }
    return distances;
  }
}

const graphs = new WeakMap<RuleContext, HandoffGraph>();

/** The handoffs of a workflow, computed once for all rules; null without a workflow. */
export function handoffGraph(context: RuleContext): HandoffGraph | null {
  if (context.workflow === null) return null;
  const graph = graphs.get(context) ?? new HandoffGraph(context.workflow);
  graphs.set(context, graph);
  return graph;
}
