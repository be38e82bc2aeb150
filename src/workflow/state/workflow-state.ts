import { EMPTY_SUM, type ExactSum } from "../../base/exact-sum.js";
import { type Names, NamesAhead, type Table, TableAhead } from "./ahead.js";
import { copyResource, type SharedResource } from "./shared-resource.js";
import type { TouchingCall } from "./workflow-event.js";

/** Where a session stands in its workflow. `closed` and `killed` are final. */
export type SessionStatus = "active" | "cancel_requested" | "closed" | "killed";

/** A session as the workflow knows it. */
export interface Member {
  readonly id: string;
  readonly role: string;
  /** The session that handed off to it; null for a root, and for a child that its parent abandoned. */
  parent: string | null;
  status: SessionStatus;
  /** Why it was killed; "" otherwise. */
  killedWhy: string;
  steps: number;
  cost: ExactSum;
  /** So many records its own log has at least. */
  revision: number;
  readonly children: Names;
  /** Its unsettled calls that touch shared resources, by id. */
  readonly calls: Table<TouchingCall>;
  /** The names of the resources on which it counts. */
  readonly resources: Names;
}

/** Everything that rules of a workflow read. Only `advanceWorkflow` changes it. */
export interface WorkflowState {
  isKilled: boolean;
  killedWhy: string;
  /** All sessions that ever started, in their order. */
  readonly sessions: Table<Member>;
  /** Those that are neither closed nor killed, and those of them that have a parent. */
  active: number;
  openHandoffs: number;
  /** Of all sessions together. */
  steps: number;
  cost: ExactSum;
  /** By name: those that some session counts on. */
  readonly resources: Table<SharedResource>;
}

/** A workflow before its first session. */
export function newWorkflow(): WorkflowState {
  return {
    isKilled: false,
    killedWhy: "",
    sessions: new Map(),
    active: 0,
    openHandoffs: 0,
    steps: 0,
    cost: EMPTY_SUM,
    resources: new Map(),
  };
}

/** Whether a session is over. */
export function hasEnded({ status }: Member): boolean {
  return status === "closed" || status === "killed";
}

/** An independent copy; parts that are never changed in place are shared. */
export function copyWorkflow(state: WorkflowState): WorkflowState {
  const sessions = new Map<string, Member>();
  for (const [id, member] of state.sessions.entries()) {
    const { children, calls, resources } = member;
    sessions.set(id, {
      ...member,
      children: new Set(children),
      calls: new Map(calls.entries()),
      resources: new Set(resources),
    });
  }
  const resources = new Map<string, SharedResource>();
  for (const [name, resource] of state.resources.entries()) resources.set(name, copyResource(resource));
  return { ...state, sessions, resources };
}

function sameCall(call: TouchingCall): TouchingCall {
  return call;
}

function memberAhead(member: Member): Member {
  const { children, calls, resources } = member;
  return {
    ...member,
    children: new NamesAhead(children),
    calls: new TableAhead(calls, sameCall),
    resources: new NamesAhead(resources),
  };
}

/**
 * A copy to look ahead with, while the state itself does not change: it costs what the next events touch, and not what the workflow
 * has been through.
 */
export function workflowAhead(state: WorkflowState): WorkflowState {
  const sessions = new TableAhead(state.sessions, memberAhead);
  const resources = new TableAhead(state.resources, copyResource);
  return { ...state, sessions, resources };
}
