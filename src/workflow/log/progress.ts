import type { Program } from "../../guard/program/program.js";
import type { SessionEvent } from "../../guard/session/event.js";
import type { LogStep } from "../../guard/session/session-log.js";
import { isTouch, touchesOf } from "../rules/touched-resources.js";
import type { RoleRules } from "../rules/workflow-rules.js";
import type { EndedCall, TouchingCall, WorkflowEvent } from "../state/workflow-event.js";
import { hasEnded, type Member } from "../state/workflow-state.js";

/** Decisions that are valid only if the session may still act: the record shows that its writer knew the latest state. */
const FENCED: ReadonlySet<SessionEvent["kind"]> = new Set(["reserved", "step_begun", "approval_requested"]);

/** A session as the workflow sees it. */
export interface SeatedSession {
  readonly program: Program;
  readonly role: RoleRules;
  readonly member: Member;
}

function touchingCall({ program, role }: SeatedSession, event: SessionEvent): TouchingCall | null {
  if (event.kind !== "reserved") return null;
  const resources = touchesOf(role, event.args)
    .filter(isTouch)
    .map(({ resource: { alias }, key }) => ({ alias, key }));
  if (resources.length === 0) return null;
  const tool = program.tools.get(event.tool) ?? program.unmatched(event.tool);
  return { callId: event.callId, isMutating: !tool.isRead, resources };
}

function endedCall(event: SessionEvent, isTouching: (callId: string) => boolean): EndedCall | null {
  if (event.kind !== "settled" || event.ending === "indeterminate" || !isTouching(event.callId)) return null;
  return { callId: event.callId, isReleased: event.ending === "released" };
}

function isPresent<T>(value: T | null): value is T {
  return value !== null;
}

/** What a step of a session means for its workflow; null if it means nothing. */
export function progressOf(seated: SeatedSession, { events, after }: LogStep): WorkflowEvent | null {
  const { member } = seated;
  const steps = after.openSteps + after.ownSteps;
  const costs = events.flatMap((event) => (event.kind === "cost_recorded" ? [event.usd] : []));
  const reserved = events.map((event) => touchingCall(seated, event)).filter(isPresent);
  const isTouching = (callId: string) =>
    member.calls.has(callId) || reserved.some(({ callId: touching }) => touching === callId);
  const ended = events.map((event) => endedCall(event, isTouching)).filter(isPresent);
  const isKilled = after.isKilled && !hasEnded(member);
  const isFenced = events.some(({ kind }) => FENCED.has(kind));
  const isSilent = steps === member.steps && costs.length === 0 && ended.length === 0 && !isKilled;
  if (isSilent && !isFenced) return null;
  return {
    kind: "progressed",
    session: member.id,
    steps,
    ...(costs.length === 0 ? {} : { costs }),
    ...(reserved.length === 0 ? {} : { reserved }),
    ...(ended.length === 0 ? {} : { ended }),
    ...(isKilled ? { killed: after.killedWhy } : {}),
  };
}
