import { EMPTY_SUM, type ExactSum } from "../../base/exact-sum.js";
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
  readonly children: Set<string>;
  /** Its unsettled calls that touch shared resources, by id. */
  readonly calls: Map<string, TouchingCall>;
  /** The names of the resources on which it counts. */
  readonly resources: Set<string>;
}

/** Everything that rules of a workflow read. Only `advanceWorkflow` changes it. */
export interface WorkflowState {
  isKilled: boolean;
  killedWhy: string;
  /** All sessions that ever started, in their order. */
  readonly sessions: Map<string, Member>;
  /** Those that are neither closed nor killed, and those of them that have a parent. */
  active: number;
  openHandoffs: number;
  /** Of all sessions together. */
  steps: number;
  cost: ExactSum;
  /** By name: those that some session counts on. */
  readonly resources: Map<string, SharedResource>;
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
  for (const [id, member] of state.sessions) {
    const { children, calls, resources } = member;
    sessions.set(id, {
      ...member,
      children: new Set(children),
      calls: new Map(calls),
      resources: new Set(resources),
    });
  }
  const resources = new Map<string, SharedResource>();
  for (const [name, resource] of state.resources) resources.set(name, copyResource(resource));
  return { ...state, sessions, resources };
}
