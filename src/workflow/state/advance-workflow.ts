import { addSums, sumOf } from "../../base/exact-sum.js";
import { invariant, unreachable } from "../../base/invariant.js";
import type { WorkflowRules } from "../rules/workflow-rules.js";
import { addUse, dropIdle, endUse, newResource, resourceName } from "./shared-resource.js";
import type { EndedCall, TouchingCall, WorkflowEvent } from "./workflow-event.js";
import { hasEnded, type Member, type WorkflowState } from "./workflow-state.js";

type EventOf<K extends WorkflowEvent["kind"]> = Extract<WorkflowEvent, { readonly kind: K }>;

function memberOf({ sessions }: WorkflowState, id: string): Member {
  const member = sessions.get(id);
  invariant(member !== undefined, "events are about sessions that have started");
  return member;
}

function start(state: WorkflowState, { session: id, role, parent }: EventOf<"started">): void {
  invariant(!state.sessions.has(id), "a session starts once");
  state.sessions.set(id, {
    ...{ id, role, parent, status: "active", killedWhy: "", steps: 0, cost: 0, revision: 1 },
    children: new Set(),
    calls: new Map(),
    resources: new Set(),
  });
  state.active += 1;
  if (parent === null) return;
  memberOf(state, parent).children.add(id);
  state.openHandoffs += 1;
}

/** Forgets what the session no longer counts on. */
function dropResource(state: WorkflowState, member: Member, name: string): void {
  const resource = state.resources.get(name);
  if (resource === undefined || !dropIdle(resource, member.id, hasEnded(member))) return;
  member.resources.delete(name);
  if (resource.users.size === 0) state.resources.delete(name);
}

function reserve(state: WorkflowState, member: Member, call: TouchingCall): void {
  member.calls.set(call.callId, call);
  for (const touched of call.resources) {
    const name = resourceName(touched);
    const resource = state.resources.get(name) ?? newResource(touched);
    state.resources.set(name, resource);
    member.resources.add(name);
    addUse(resource, member.id, call.isMutating);
  }
}

function settle(state: WorkflowState, member: Member, { callId, isReleased }: EndedCall): void {
  const call = member.calls.get(callId);
  invariant(call !== undefined, "only unsettled calls end");
  member.calls.delete(callId);
  const { isMutating, resources } = call;
  for (const touched of resources) {
    const name = resourceName(touched);
    const resource = state.resources.get(name);
    if (resource !== undefined) endUse(resource, member.id, { isMutating, isReleased });
    dropResource(state, member, name);
  }
}

/** The session is over; what its calls still hold stays held until they are settled. */
function end(state: WorkflowState, member: Member, status: "closed" | "killed", why: string): void {
  member.status = status;
  member.killedWhy = why;
  state.active -= 1;
  if (member.parent !== null) state.openHandoffs -= 1;
  for (const name of member.resources) dropResource(state, member, name);
}

/** Kills a session and all its descendants, whatever the policies of their own handoffs say; also those below an ended one. */
function killTree(state: WorkflowState, root: Member, why: string): void {
  const found: Member[] = [root];
  for (let member = found.pop(); member !== undefined; member = found.pop()) {
    if (!hasEnded(member)) end(state, member, "killed", why);
    for (const id of member.children) found.push(memberOf(state, id));
  }
}

/** What the end of a session means for its children. */
function endChildren(rules: WorkflowRules, state: WorkflowState, parent: Member): void {
  for (const id of parent.children) {
    const child = memberOf(state, id);
    const policy = rules.handoffs.get(parent.role)?.get(child.role)?.policy;
    if (policy === "terminate") {
      killTree(state, child, `its parent \`${parent.id}\` has ended`);
    } else if (hasEnded(child)) {
      // It has asked its own children when it ended.
    } else if (policy === "abandon") {
      parent.children.delete(id);
      child.parent = null;
      state.openHandoffs -= 1;
    } else {
      child.status = "cancel_requested";
    }
  }
}

function endWithChildren(
  rules: WorkflowRules,
  state: WorkflowState,
  { member, status, why }: { readonly member: Member; readonly status: "closed" | "killed"; readonly why: string },
): void {
  // The first end counts; repeating it changes nothing.
  if (hasEnded(member)) return;
  end(state, member, status, why);
  endChildren(rules, state, member);
}

function kill(rules: WorkflowRules, state: WorkflowState, { scope, session, why }: EventOf<"killed">): void {
  switch (scope) {
    case "workflow":
      if (!state.isKilled) state.killedWhy = why;
      state.isKilled = true;
      for (const member of state.sessions.values()) if (!hasEnded(member)) end(state, member, "killed", why);
      return;
    case "subtree":
      killTree(state, memberOf(state, session ?? ""), why);
      return;
    case "session":
      endWithChildren(rules, state, { member: memberOf(state, session ?? ""), status: "killed", why });
      return;
    default:
      unreachable(scope);
  }
}

function progress(rules: WorkflowRules, state: WorkflowState, event: EventOf<"progressed">): void {
  const member = memberOf(state, event.session);
  state.steps += event.steps - member.steps;
  member.steps = event.steps;
  member.revision = Math.max(member.revision, event.revision ?? 0);
  for (const usd of event.costs ?? []) {
    member.cost = addSums(member.cost, sumOf(usd));
    state.cost = addSums(state.cost, sumOf(usd));
  }
  for (const call of event.reserved ?? []) reserve(state, member, call);
  for (const call of event.ended ?? []) settle(state, member, call);
  if (event.killed !== undefined) endWithChildren(rules, state, { member, status: "killed", why: event.killed });
}

/** Applies one event to a workflow, in place. Deterministic: the same events give the same state. */
export function advanceWorkflow(rules: WorkflowRules, state: WorkflowState, event: WorkflowEvent): void {
  switch (event.kind) {
    case "started":
      start(state, event);
      break;
    case "progressed":
      progress(rules, state, event);
      break;
    case "closed":
      endWithChildren(rules, state, { member: memberOf(state, event.session), status: "closed", why: "" });
      break;
    case "killed":
      kill(rules, state, event);
      break;
    case "kill_refused":
      break;
    default:
      unreachable(event);
  }
}
