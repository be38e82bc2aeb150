import { canonicalJson } from "../../base/canonical-json.js";
import { cut, first, isBeyond, most } from "../model/caps.js";
import { isDeadEnd } from "../proof/dead-end.js";
import type { SearchBounds } from "../search/search.js";
import type { Action } from "../trace/plan.js";
import { retrace } from "../trace/retrace.js";
import { principalsOf, runOf } from "./joint-run.js";
import { activeTogether, LifecycleSearch, type LineUp } from "./lifecycle-search.js";
import { alwaysOwns } from "./named-resource.js";
import { ownedBy, type RoleCall, type RoleState, type WantedCall } from "./role-space.js";
import type { WorkflowAction, WorkflowPlan } from "./workflow-plan.js";
import type { WorkflowUnderTest } from "./workflow-under-test.js";

/** The unfinished sessions of one role that own the same resources. */
interface Owners {
  readonly role: string;
  readonly held: ReadonlySet<string>;
  /** Indices of states, the nearest first. */
  readonly states: readonly number[];
}

/** One session of a deadlock. */
interface Waiting {
  readonly role: string;
  readonly state: RoleState;
  readonly wanted: WantedCall;
}

/** A session of a deadlock that was found. */
export interface DeadlockMember {
  readonly session: string;
  readonly role: string;
  readonly held: readonly string[];
  readonly wanted: RoleCall;
  /** The resources of the wanted call that others own. */
  readonly awaited: readonly string[];
}

/** Sessions that wait for each other, and how they come to it. */
export interface Deadlock {
  /** Whether it is proved that none of them can finish; otherwise no way was found. */
  readonly isProved: boolean;
  readonly members: readonly DeadlockMember[];
  readonly plan: WorkflowPlan;
}

/**
 * Finds sessions that wait for each other. Only what a session owns for good can make others wait for good: everything else is free
 * again once a call is settled, and an approval is answered or expires. So each session goes by itself to where it owns something,
 * and a group is a deadlock if none of it can finish, by any further calls, while the others keep what they own.
 */
export class DeadlockSearch {
  private readonly lifecycle: LifecycleSearch;

  constructor(
    private readonly under: WorkflowUnderTest,
    private readonly bounds: SearchBounds & { readonly sessions: number },
  ) {
    this.lifecycle = new LifecycleSearch(under.rules, bounds);
  }

  /** Roles whose sessions may own something. */
  get roles(): readonly string[] {
    const owning = this.under.all.filter(({ rules, pack }) => {
      const isShared = rules.resources.some(({ mode }) => mode === "single_writer");
      return isShared && pack.tools.some(({ side_effect: effect }) => effect !== "read");
    });
    return first(owning, "roles_waiting").map(({ rules }) => rules.name);
  }

  /** For each group of roles the first deadlock that was found; smaller groups first, and none that contains another. */
  find(): readonly Deadlock[] {
    const classes = this.roles.flatMap((role) => this.owners(role));
    const found = new Map<string, Deadlock>();
    for (let size = 2; size <= most("members_waiting"); size++) {
      const known = [...found.values()].map(({ members }) => members.map(({ role }) => role));
      const waiting = this.groupsOf(classes, size)
        .filter((group) => !known.some((roles) => contains(group, roles)))
        .flatMap((group) => this.waiting(group) ?? []);
      waiting.sort((a, b) => lengthOf(a) - lengthOf(b));
      for (const group of first(waiting, "deadlocks_composed")) {
        const key = canonicalJson(group.map(({ role }) => role).sort());
        const deadlock = found.has(key) ? null : this.composed(group);
        if (deadlock !== null) found.set(key, deadlock);
      }
    }
    if (this.roles.length * this.bounds.sessions > most("members_waiting")) cut("members_waiting");
    return [...found.values()];
  }

  private owners(role: string): readonly Owners[] {
    const space = this.under.space(role);
    const free = space.finishing(new Set());
    const byHeld = new Map<string, { readonly held: ReadonlySet<string>; readonly states: number[] }>();
    space.states.forEach(({ held, isFinished }, index) => {
      // Who cannot finish anyway waits for nobody; `stuck_session` reports it.
      if (held.size === 0 || isFinished || !free.has(index)) return;
      const key = canonicalJson([...held].sort());
      const known = byHeld.get(key) ?? { held, states: [] };
      byHeld.set(key, known);
      known.states.push(index);
    });
    return Array.from(byHeld.values(), ({ held, states }) => ({ role, held, states }));
  }

  private groupsOf(classes: readonly Owners[], size: number): readonly (readonly Owners[])[] {
    const groups: (readonly Owners[])[] = [];
    for (const group of this.groups(classes, size)) {
      if (isBeyond(groups.length + 1, "groups_waiting")) break;
      groups.push(group);
    }
    return groups;
  }

  /** Groups that own nothing in common, with no more sessions of a role than the bound allows. */
  private *groups(classes: readonly Owners[], size: number): Generator<readonly Owners[]> {
    if (size === 0) yield [];
    for (const [at, owners] of size === 0 ? [] : classes.entries()) {
      const rest = classes.slice(at + 1).filter(({ held }) => ![...held].some((name) => owners.held.has(name)));
      for (const group of this.groups(rest, size - 1)) {
        if (group.filter(({ role }) => role === owners.role).length < this.bounds.sessions) yield [owners, ...group];
        else cut("sessions");
      }
    }
  }

  /** The nearest state of each session in which it cannot finish before the others end; null if one always can. */
  private waiting(group: readonly Owners[]): readonly [readonly Waiting[]] | null {
    const members: Waiting[] = [];
    for (const owners of group) {
      const { role, states } = owners;
      const others = new Set(group.flatMap((other) => (other === owners ? [] : [...other.held])));
      const space = this.under.space(role);
      const finishing = space.finishing(others);
      const blocked = states.find((index) => !finishing.has(index));
      const state = blocked === undefined ? undefined : space.states[blocked];
      const wanted = blocked === undefined ? null : space.wanted(blocked, others);
      if (state === undefined || wanted === null) return null;
      members.push({ role, state, wanted });
    }
    return [members];
  }

  private composed(group: readonly Waiting[]): Deadlock | null {
    // Whoever waits for an approval asks first: what it wants is free then, and taken when the approval comes.
    const ordered = [...group].sort((a, b) => Number(b.wanted.call.isAsked) - Number(a.wanted.call.isAsked));
    const roles = ordered.map(({ role }) => role);
    const lineUp = this.lifecycle.find(activeTogether(roles, 1));
    if (lineUp === null) return null;
    const ids = sessionsFor(lineUp, ordered);
    for (const isAsking of ordered[0]?.wanted.call.isAsked === true ? [true, false] : [false]) {
      const actions = [...lineUp.actions, ...runTogether(ordered, ids, isAsking)];
      const plan = { env: this.under.env, principals: principalsOf(this.under, actions), actions };
      if (runOf(this.under, plan) !== null)
        return { plan, members: membersOf(ordered, ids), isProved: this.isProved(ordered) };
    }
    return null;
  }

  /** Whether every session is in a dead end without the tools whose calls all need what another one owns. */
  private isProved(group: readonly Waiting[]): boolean {
    return group.every((member) => {
      const { rules, pack, principal } = this.under.role(member.role);
      const owned = new Set(group.flatMap((other) => (other === member ? [] : [...other.state.held])));
      const refused = pack.tools.filter((tool) => alwaysOwns(rules, tool, owned)).map(({ name }) => name);
      const program = this.under.program(member.role, principal);
      const terminal = pack.phases?.terminal ?? [];
      const end = retrace(program, pathTo(member.state));
      return terminal.length > 0 && end !== null && isDeadEnd(program, end.session, terminal, new Set(refused));
    });
  }
}

function lengthOf(group: readonly Waiting[]): number {
  return group.reduce((sum, { state, wanted }) => sum + state.node.depth + wanted.way.length, 0);
}

/** Whether a group has all the roles of a known deadlock. */
function contains(group: readonly Owners[], roles: readonly string[]): boolean {
  const count = (all: readonly string[], role: string) => all.filter((each) => each === role).length;
  const own = group.map(({ role }) => role);
  return roles.every((role) => count(own, role) >= count(roles, role));
}

function sessionsFor({ state }: LineUp, group: readonly Waiting[]): readonly string[] {
  const free = [...state.sessions.values()].filter(({ status }) => status === "active");
  return group.map(({ role }) => {
    const at = free.findIndex((member) => member.role === role);
    const [member] = at < 0 ? [] : free.splice(at, 1);
    return member?.id ?? "";
  });
}

/** The sessions one after the other; then each proposes the call that another one prevents. */
function runTogether(group: readonly Waiting[], ids: readonly string[], isAsking: boolean): readonly WorkflowAction[] {
  const acts = (at: number, actions: readonly Action[]) =>
    actions.map((action): WorkflowAction => ({ kind: "act", session: ids[at] ?? "", action }));
  const calls = group.map(({ wanted: { call } }, at) => ({ session: ids[at] ?? "", tool: call.tool, args: call.args }));
  const [asking] = isAsking ? calls : [];
  const runs = group.flatMap(({ state, wanted }, at) => {
    const way = acts(at, [...pathTo(state), ...wanted.way]);
    return at === 0 && asking !== undefined ? [...way, { kind: "ask" as const, ...asking }] : way;
  });
  const ends = calls.map(
    (call): WorkflowAction =>
      asking !== undefined && call.session === asking.session
        ? { kind: "approve", session: call.session }
        : { kind: "refused", ...call },
  );
  return [...runs, ...ends];
}

function pathTo({ node }: RoleState): readonly Action[] {
  const actions: Action[] = [];
  for (let at: RoleState["node"] | null = node; at !== null; at = at.parent)
    if (at.action !== null) actions.push(at.action);
  return actions.reverse();
}

function membersOf(group: readonly Waiting[], ids: readonly string[]): readonly DeadlockMember[] {
  return group.map(({ role, state, wanted: { call } }, at) => {
    const others = new Set(group.flatMap((other, index) => (index === at ? [] : [...other.state.held])));
    const awaited = ownedBy(call).filter((name) => others.has(name));
    return { session: ids[at] ?? "", role, held: [...state.held].sort(), wanted: call, awaited };
  });
}
