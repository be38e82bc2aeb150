/** What the runs of a workflow can do at all, found by trying everything: which roles, which handoffs, how many at once. */

export interface SmallHandoff {
  readonly from: string;
  readonly to: string;
  readonly policy: "request_cancel" | "terminate" | "abandon";
}

export interface SmallWorkflow {
  readonly roles: readonly string[];
  readonly handoffs: readonly SmallHandoff[];
  /** Whether a session that its child would be cancelled with stays until the child has ended. */
  readonly waits: boolean;
  readonly limits: { readonly sessions: number; readonly active: number; readonly open: number };
}

/** A session that has not ended, with its children. */
interface Session {
  readonly role: string;
  /** Whether it came by a handoff that is still open. */
  readonly isOpen: boolean;
  readonly policy: SmallHandoff["policy"] | null;
  readonly isCancelled: boolean;
  readonly children: readonly Session[];
}

interface State {
  readonly started: number;
  readonly roots: readonly Session[];
}

export interface Possible {
  readonly roles: ReadonlySet<string>;
  /** `from to`, of every handoff that some run makes. */
  readonly handoffs: ReadonlySet<string>;
  /** The most sessions of a role that have not ended at the same time. */
  readonly together: ReadonlyMap<string, number>;
}

function allOf(sessions: readonly Session[]): readonly Session[] {
  return sessions.flatMap((session) => [session, ...allOf(session.children)]);
}

function textOf({ role, isOpen, policy, isCancelled, children }: Session): string {
  return `${role}${isOpen ? "+" : ""}${policy?.[0] ?? ""}${isCancelled ? "!" : ""}(${children.map(textOf).sort().join()})`;
}

/** The children of a session that ended. */
function orphans({ children }: Session): readonly Session[] {
  return children.flatMap((child) => {
    if (child.policy === "terminate") return [];
    return [child.policy === "abandon" ? { ...child, isOpen: false, policy: null } : { ...child, isCancelled: true }];
  });
}

/** Every list of sessions in which one session made a handoff or ended, and which handoff it was. */
function* changed(
  sessions: readonly Session[],
  workflow: SmallWorkflow,
): Generator<{
  readonly sessions: readonly Session[];
  readonly freed: readonly Session[];
  readonly made?: SmallHandoff;
}> {
  for (const [at, session] of sessions.entries()) {
    const freed = orphans(session);
    if (!workflow.waits || freed.every(({ isCancelled }) => !isCancelled)) {
      yield { sessions: sessions.toSpliced(at, 1), freed };
    }
    for (const made of session.isCancelled ? [] : workflow.handoffs.filter(({ from }) => from === session.role)) {
      const child = { role: made.to, isOpen: true, policy: made.policy, isCancelled: false, children: [] };
      yield { sessions: sessions.with(at, { ...session, children: [...session.children, child] }), freed: [], made };
    }
    for (const inside of changed(session.children, workflow)) {
      yield { ...inside, sessions: sessions.with(at, { ...session, children: inside.sessions }) };
    }
  }
}

function isWithin({ started, roots }: State, { limits }: SmallWorkflow): boolean {
  const sessions = allOf(roots);
  const open = sessions.filter(({ isOpen }) => isOpen).length;
  return started <= limits.sessions && sessions.length <= limits.active && open <= limits.open;
}

/** All runs of a small workflow; `sessions` of its limits must be low, for there are many. */
export function possibleIn(workflow: SmallWorkflow): Possible {
  const { roles, handoffs } = workflow;
  const targets = new Set(handoffs.map(({ to }) => to));
  const starts = roles.filter((role) => !targets.has(role));
  const made = new Set<string>();
  const together = new Map<string, number>();
  const states = new Map<string, State>([["", { started: 0, roots: [] }]]);
  const enter = (state: State): boolean => {
    if (!isWithin(state, workflow)) return false;
    const key = `${state.started} ${state.roots.map(textOf).sort().join()}`;
    if (!states.has(key)) states.set(key, state);
    return true;
  };
  // Iterating a map also visits entries added meanwhile.
  for (const { started, roots } of states.values()) {
    for (const role of roles) {
      const count = allOf(roots).filter((session) => session.role === role).length;
      together.set(role, Math.max(together.get(role) ?? 0, count));
    }
    for (const role of starts) {
      const root = { role, isOpen: false, policy: null, isCancelled: false, children: [] };
      enter({ started: started + 1, roots: [...roots, root] });
    }
    for (const { sessions, freed, made: handoff } of changed(roots, workflow)) {
      const isIn = enter({ started: started + (handoff === undefined ? 0 : 1), roots: [...sessions, ...freed] });
      if (isIn && handoff !== undefined) made.add(`${handoff.from} ${handoff.to}`);
    }
  }
  return { roles: new Set(roles.filter((role) => (together.get(role) ?? 0) > 0)), handoffs: made, together };
}
