import { handoffRefusal } from "../../workflow/rules/handoff-refusal.js";
import { startRefusal } from "../../workflow/rules/start-refusal.js";
import type { RoleRules, WorkflowRules } from "../../workflow/rules/workflow-rules.js";
import { advanceWorkflow } from "../../workflow/state/advance-workflow.js";
import {
  copyWorkflow,
  hasEnded,
  type Member,
  newWorkflow,
  type WorkflowState,
} from "../../workflow/state/workflow-state.js";
import { cut } from "../model/caps.js";
import type { SearchBounds } from "../search/search.js";
import type { LifecycleAction } from "./workflow-plan.js";

/** Sessions that were brought to where they are wanted. */
export interface LineUp {
  readonly actions: readonly LifecycleAction[];
  readonly state: WorkflowState;
}

interface Node {
  readonly parent: Node | null;
  readonly action: LifecycleAction | null;
  readonly state: WorkflowState;
  readonly depth: number;
}

/** A wanted arrangement of sessions. */
export interface Wanted {
  /** The roles that it is about; others begin only on the way to them. */
  readonly roles: readonly string[];
  /** The largest number of sessions that are started of a role. */
  most(role: string): number;
  isMet(state: WorkflowState): boolean;
}

/** Sessions of some roles that are active together, with no more of others than needed. */
export function activeTogether(roles: readonly string[], sessions: number): Wanted {
  const needed = (role: string) => roles.filter((each) => each === role).length;
  return {
    roles,
    most: (role) => Math.max(sessions, needed(role)),
    isMet: (state) => roles.every((role) => activeIn(state, role).length >= needed(role)),
  };
}

/** With one session of every role that it is not about. */
function few(wanted: Wanted): Wanted {
  return { ...wanted, most: (role) => (wanted.roles.includes(role) ? wanted.most(role) : 1) };
}

/** The active sessions of a role, in the order in which they began. */
export function activeIn({ sessions }: WorkflowState, role: string): readonly string[] {
  const own = [...sessions.values()].filter((member) => member.role === role && member.status === "active");
  return own.map(({ id }) => id);
}

function actionsTo(end: Node): readonly LifecycleAction[] {
  const actions: LifecycleAction[] = [];
  for (let node: Node | null = end; node !== null; node = node.parent)
    if (node.action !== null) actions.push(node.action);
  return actions.reverse();
}

/** A session and its descendants as text; equal texts mean that nothing distinguishes them. */
function treeText(sessions: WorkflowState["sessions"], { role, status, children }: Member): string {
  const below = Array.from(children, (id) => {
    const child = sessions.get(id);
    return child === undefined ? "" : treeText(sessions, child);
  });
  return `${role}/${status}(${below.sort().join()})`;
}

/**
 * Finds how sessions are started, handed off to and closed until they are arranged as wanted, the shortest way first. Nothing else
 * matters to it: no call is needed for a handoff, and no call prevents one.
 */
export class LifecycleSearch {
  explored = 0;
  /** Closing makes room only where something is limited. */
  private readonly mayClose: boolean;

  constructor(
    private readonly rules: WorkflowRules,
    private readonly bounds: SearchBounds,
  ) {
    const { max_active_sessions: active, max_open_handoffs: open } = rules.limits;
    this.mayClose = active !== null || open !== null;
  }

  find(wanted: Wanted): LineUp | null {
    // Mostly one session of every other role is enough, and nobody has to end.
    return this.search(few(wanted), false) ?? this.search(wanted, this.mayClose);
  }

  /** The same where some session has to end, whether that makes room or not. */
  findWithEnds(wanted: Wanted): LineUp | null {
    return this.search(few(wanted), true) ?? this.search(wanted, true);
  }

  /** How many of the actions are over when a session that has begun by them is first asked to end, or ends. */
  endOf({ actions }: LineUp, session: string): number {
    const state = newWorkflow();
    for (const [at, action] of actions.entries()) {
      const wasActive = state.sessions.get(session)?.status === "active";
      this.apply(state, action);
      if (wasActive && state.sessions.get(session)?.status !== "active") return at;
    }
    return actions.length;
  }

  private search(wanted: Wanted, mayClose: boolean): LineUp | null {
    const known = new Set<string>();
    const roles = this.leadingTo(wanted.roles);
    const queue: Node[] = [{ parent: null, action: null, state: newWorkflow(), depth: 0 }];
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at];
      if (node === undefined) break;
      if (wanted.isMet(node.state)) return { actions: actionsTo(node), state: node.state };
      if (at >= this.bounds.states || node.depth >= this.bounds.depth) {
        cut(at >= this.bounds.states ? "states" : "depth");
        return null;
      }
      this.explored += 1;
      for (const action of this.moves(node.state, roles, { wanted, mayClose })) {
        const state = copyWorkflow(node.state);
        this.apply(state, action);
        const key = this.keyOf(state);
        if (known.has(key)) continue;
        known.add(key);
        queue.push({ parent: node, action, state, depth: node.depth + 1 });
      }
    }
    return null;
  }

  private keyOf(state: WorkflowState): string {
    const roots = [...state.sessions.values()].filter(({ parent }) => parent === null);
    const trees = roots.map((root) => treeText(state.sessions, root));
    return trees.sort().join(";");
  }

  private apply(state: WorkflowState, action: LifecycleAction): void {
    const { kind, session } = action;
    if (kind === "close") advanceWorkflow(this.rules, state, { kind: "closed", session });
    else if (kind === "start")
      advanceWorkflow(this.rules, state, { kind: "started", session, role: action.role, parent: null });
    else
      advanceWorkflow(this.rules, state, {
        kind: "started",
        session: action.child,
        role: action.role,
        parent: session,
      });
  }

  /** Roles, and those that hand off on the way to them: no other session is of any help. */
  private leadingTo(names: readonly string[]): readonly RoleRules[] {
    const leading = new Set(names);
    for (const name of leading)
      for (const [from, handoffs] of this.rules.handoffs) if (handoffs.has(name)) leading.add(from);
    return [...this.rules.roles.values()].filter(({ name }) => leading.has(name));
  }

  private *moves(
    state: WorkflowState,
    roles: readonly RoleRules[],
    { wanted, mayClose }: { readonly wanted: Wanted; readonly mayClose: boolean },
  ): Generator<LifecycleAction> {
    for (const role of roles) yield* this.begins(state, role, wanted);
    if (!mayClose) return;
    for (const member of state.sessions.values()) if (!hasEnded(member)) yield { kind: "close", session: member.id };
  }

  /** The ways to begin a session of a role. */
  private *begins(state: WorkflowState, role: RoleRules, { most }: Wanted): Generator<LifecycleAction> {
    const members = [...state.sessions.values()];
    const count = members.filter((member) => member.role === role.name).length;
    if (count >= most(role.name)) {
      cut("sessions");
      return;
    }
    const session = `${role.name}-${count + 1}`;
    if (!role.needsHandoff) {
      if (startRefusal(this.rules, state, role) === null) yield { kind: "start", session, role: role.name };
      return;
    }
    for (const from of members) {
      const handoff = this.rules.handoffs.get(from.role)?.get(role.name);
      const artifacts = { names: new Set(handoff?.artifacts), problem: null };
      if (handoff === undefined || handoffRefusal(this.rules, state, { from, to: role, artifacts }) !== null) continue;
      yield { kind: "handoff", session: from.id, child: session, role: role.name };
    }
  }
}
