import { Graph } from "@dagrejs/graphlib";
import type { Draft } from "../../language/draft.js";
import type { SessionContract } from "../../language/schema/session.js";
import type { NamedTool } from "../named-tool.js";
import { groupsOf, reachedFrom } from "./graph-walks.js";

/** A change from one phase to another that a call of a tool makes. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly tool: string;
}

/** graphlib keeps nodes in plain objects, where a phase called `__proto__` would reach every object of the process. */
const node = (name: string) => `phase ${name}`;
const nameOf = (id: string) => id.slice(node("").length);

/**
 * The phases of a pack without errors, the declared transitions, and those that calls really take. Without declared
 * phases it is empty: every tool is then valid at any time.
 */
export class PackGraph {
  readonly phases: readonly string[];
  readonly initial: string | null;
  readonly terminal: ReadonlySet<string>;
  private readonly declared = new Graph({ directed: true });
  private readonly taken = new Graph({ directed: true });
  readonly moves: readonly Move[];

  constructor(session: Draft<SessionContract> | null, tools: readonly NamedTool[]) {
    const phases = (session?.phases ?? []).flatMap(({ name, ...phase }) =>
      name === undefined ? [] : [{ name, ...phase }],
    );
    this.phases = phases.map(({ name }) => name);
    this.initial = phases.find(({ initial }) => initial === true)?.name ?? null;
    this.terminal = new Set(phases.filter(({ terminal }) => terminal === true).map(({ name }) => name));
    for (const name of this.phases) {
      this.declared.setNode(node(name));
      this.taken.setNode(node(name));
    }
    for (const [from, followers] of Object.entries(session?.transitions ?? {})) {
      for (const to of followers ?? []) {
        // A misspelt phase is reported by another rule.
        if (this.declared.hasNode(node(from)) && this.declared.hasNode(node(to)))
          this.declared.setEdge(node(from), node(to));
      }
    }
    this.moves = tools.flatMap((tool) => this.movesOf(tool));
    for (const { from, to } of this.moves) this.taken.setEdge(node(from), node(to));
  }

  /** The phases a tool may be called in; all of them where it names none. */
  phasesOf({ contract }: NamedTool): readonly string[] {
    return contract.transitions?.valid_in_phases ?? this.phases;
  }

  /** Whether a call may lead from one phase to another; staying needs no transition. */
  hasEdge(from: string, to: string): boolean {
    return from === to || this.declared.hasEdge(node(from), node(to));
  }

  /** The phases that declared transitions lead to from these, themselves included. */
  reachable(from: Iterable<string>): ReadonlySet<string> {
    return follow(this.declared, from);
  }

  /** The phases that calls really lead to from these, themselves included: a transition that no tool takes leads nowhere. */
  entered(from: Iterable<string> = this.initial === null ? [] : [this.initial]): ReadonlySet<string> {
    return follow(this.taken, from);
  }

  /** Whether no transition leads to another phase. */
  isDeadEnd(phase: string): boolean {
    return (this.declared.successors(node(phase)) ?? []).every((next: string) => next === node(phase));
  }

  /** The groups of phases that lead to each other and nowhere else; a group may be a single phase. */
  closedGroups(): readonly (readonly string[])[] {
    const groups = groupsOf(this.declared);
    const groupOf = new Map(groups.flatMap((group) => group.map((id) => [id, group] as const)));
    const staysIn = (group: readonly string[]) =>
      group.every((id) => (this.declared.successors(id) ?? []).every((next: string) => groupOf.get(next) === group));
    const place = new Map(this.phases.map((phase, index) => [node(phase), index]));
    return groups
      .filter(staysIn)
      .map((group) => group.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)).map(nameOf));
  }

  private movesOf(tool: NamedTool): readonly Move[] {
    const to = tool.contract.transitions?.advances_to;
    if (to === undefined) return [];
    return this.phasesOf(tool)
      .filter((from) => this.hasEdge(from, to))
      .map((from) => ({ from, to, tool: tool.name }));
  }
}

function follow(graph: Graph, from: Iterable<string>): ReadonlySet<string> {
  return new Set([...reachedFrom(graph, [...from].map(node))].map(nameOf));
}
