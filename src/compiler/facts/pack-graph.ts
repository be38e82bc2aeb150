import type { NamedTool, RuleContext } from "../rule-context.js";

/** A way from one phase to another that a call of a tool takes. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly tool: string;
}

/** The phases that may follow each phase, in the order of their declaration. */
type Followers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The phases of a sound pack, the ways between them that are declared, and those that calls really take. Without declared
 * phases it is empty: then every tool is valid at any time.
 */
export class PackGraph {
  readonly phases: readonly string[];
  readonly initial: string | null;
  readonly terminal: ReadonlySet<string>;
  private readonly declared: Followers;
  private readonly taken: Followers;
  readonly moves: readonly Move[];

  constructor({ session, tools }: Pick<RuleContext, "session" | "tools">) {
    const phases = (session?.phases ?? []).flatMap(({ name, ...phase }) =>
      name === undefined ? [] : [{ name, ...phase }],
    );
    this.phases = phases.map(({ name }) => name);
    this.initial = phases.find(({ initial }) => initial === true)?.name ?? null;
    this.terminal = new Set(phases.filter(({ terminal }) => terminal === true).map(({ name }) => name));
    const declared = Object.entries(session?.transitions ?? {}).flatMap(([from, followers]) =>
      (followers ?? []).map((to) => ({ from, to })),
    );
    this.declared = this.followersIn(declared);
    this.moves = tools.flatMap((tool) => this.movesOf(tool));
    this.taken = this.followersIn(this.moves);
  }

  /** Only ways between declared phases: a misspelt one is an error of its own. */
  private followersIn(ways: readonly Pick<Move, "from" | "to">[]): Followers {
    const followers = new Map(this.phases.map((phase) => [phase, new Set<string>()]));
    for (const { from, to } of ways) if (followers.has(to)) followers.get(from)?.add(to);
    return followers;
  }

  /** The phases a tool may be called in; all of them where it names none. */
  phasesOf({ contract }: NamedTool): readonly string[] {
    return contract.transitions?.valid_in_phases ?? this.phases;
  }

  /** Whether a call may lead from one phase to another; staying needs no transition. */
  hasEdge(from: string, to: string): boolean {
    return from === to || this.declared.get(from)?.has(to) === true;
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
    return [...(this.declared.get(phase) ?? [])].every((next) => next === phase);
  }

  /** The phases of each group that leads into each other and nowhere else, a single phase being such a group too. */
  closedGroups(): readonly (readonly string[])[] {
    const groups = groupsOf(this.declared);
    const groupOf = new Map(groups.flatMap((group) => group.map((phase) => [phase, group] as const)));
    const staysIn = (group: readonly string[]) =>
      group.every((phase) => [...(this.declared.get(phase) ?? [])].every((next) => groupOf.get(next) === group));
    const place = new Map(this.phases.map((phase, index) => [phase, index]));
    return groups.filter(staysIn).map((group) => group.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)));
  }

  private movesOf(tool: NamedTool): readonly Move[] {
    const to = tool.contract.transitions?.advances_to;
    if (to === undefined) return [];
    return this.phasesOf(tool)
      .filter((from) => this.hasEdge(from, to))
      .map((from) => ({ from, to, tool: tool.name }));
  }
}

/** Phases in the order in which a walk in depth is done with them. It keeps a stack of its own: chains may be long. */
function finished(graph: Followers): readonly string[] {
  const seen = new Set<string>();
  const order: string[] = [];
  for (const start of graph.keys()) {
    const stack: { readonly phase: string; readonly next: string[] }[] = [];
    const enter = (phase: string) => {
      if (seen.has(phase)) return;
      seen.add(phase);
      stack.push({ phase, next: [...(graph.get(phase) ?? [])] });
    };
    enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.next.pop();
      if (next !== undefined) enter(next);
      else order.push(stack.pop()?.phase ?? "");
    }
  }
  return order;
}

function reversed(graph: Followers): Followers {
  const before = new Map([...graph.keys()].map((phase) => [phase, new Set<string>()]));
  for (const [phase, followers] of graph) for (const next of followers) before.get(next)?.add(phase);
  return before;
}

/** The strongly connected groups, by Kosaraju's two walks. */
function groupsOf(graph: Followers): readonly (readonly string[])[] {
  const grouped = new Set<string>();
  const before = reversed(graph);
  return finished(graph)
    .toReversed()
    .flatMap((start) => {
      if (grouped.has(start)) return [];
      const group = new Set([start]);
      for (const phase of group) {
        grouped.add(phase);
        for (const earlier of before.get(phase) ?? []) if (!grouped.has(earlier)) group.add(earlier);
      }
      return [[...group]];
    });
}

/** These phases, and all that follow them. */
function follow(graph: Followers, from: Iterable<string>): ReadonlySet<string> {
  const found = new Set(from);
  for (const phase of found) for (const next of graph.get(phase) ?? []) found.add(next);
  return found;
}
