import type { Program } from "../../guard/program/program.js";
import type { SessionEvent } from "../../guard/session/event.js";
import type { LogStep } from "../../guard/session/session-log.js";
import { isTouch, touchesOf } from "../rules/touched-resources.js";
import type { RoleRules } from "../rules/workflow-rules.js";
import type { EndedCall, Touched, TouchingCall, WorkflowEvent } from "../state/workflow-event.js";
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
  const resources: Touched[] = [];
  for (const touch of touchesOf(role, event.args)) {
    if (isTouch(touch)) resources.push({ alias: touch.resource.alias, key: touch.key });
  }
  if (resources.length === 0) return null;
  const tool = program.tools.get(event.tool) ?? program.unmatched(event.tool);
  return { callId: event.callId, isMutating: !tool.isRead, resources };
}

function endedCall(event: SessionEvent, isTouching: (callId: string) => boolean): EndedCall | null {
  if (event.kind !== "settled" || event.ending === "indeterminate" || !isTouching(event.callId)) return null;
  return { callId: event.callId, isReleased: event.ending === "released" };
}

/** What a step of a session means for its workflow; null if it means nothing. */
export function progressOf(seated: SeatedSession, { events, after }: LogStep, revision: number): WorkflowEvent | null {
  const { member } = seated;
  const steps = after.openSteps + after.ownSteps;
  const costs: number[] = [];
  const reserved: TouchingCall[] = [];
  const ended: EndedCall[] = [];
  const isTouching = (callId: string) =>
    member.calls.has(callId) || reserved.some(({ callId: touching }) => touching === callId);
  let isFenced = false;
  for (const event of events) {
    if (FENCED.has(event.kind)) isFenced = true;
    if (event.kind === "cost_recorded") costs.push(event.usd);
    const begun = touchingCall(seated, event);
    if (begun !== null) reserved.push(begun);
    const over = endedCall(event, isTouching);
    if (over !== null) ended.push(over);
  }
  const isKilled = after.isKilled && !hasEnded(member);
  const isSilent = steps === member.steps && costs.length === 0 && ended.length === 0 && !isKilled;
  if (isSilent && !isFenced) return null;
  return {
    kind: "progressed",
    session: member.id,
    ...{ steps, revision },
    ...(costs.length === 0 ? {} : { costs }),
    ...(reserved.length === 0 ? {} : { reserved }),
    ...(ended.length === 0 ? {} : { ended }),
    ...(isKilled ? { killed: after.killedWhy } : {}),
  };
}
