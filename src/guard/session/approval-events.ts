import { invariant } from "../../base/invariant.js";
import { becauseIn } from "../decide/verdict.js";
import { CallKeys } from "./call-keys.js";
import type { SessionEvent } from "./event.js";
import type { PendingApproval } from "./pending-approval.js";
import type { Session } from "./session.js";

/** Remembers the key of a call, so that a repeated proposal finds the call. */
export function holdKey(
  session: Session,
  key: string,
  call: Pick<PendingApproval, "callId" | "tool" | "args" | "digest">,
): void {
  session.keys ??= new CallKeys();
  session.keys.hold(session, key, call);
}

/** Records a request: its call has an identifier from now on and waits. */
export function requestApproval(session: Session, request: PendingApproval): void {
  session.approval = request;
  session.issued += 1;
  if (request.key !== undefined) holdKey(session, request.key, request);
}

/** How many ended approvals are remembered, and how many of them that can be resumed, which keep their arguments. */
const MOST_ENDED = 10_000;
const MOST_RESUMABLE = 100;

function dropOldest<T>(map: Map<string, T>, most: number): T | undefined {
  if (map.size <= most) return undefined;
  const [oldest] = map;
  if (oldest === undefined) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}

/** A refused call releases its key; an approved one takes it again when it is reserved. */
function releaseKey({ keys }: Session, request: PendingApproval | undefined): void {
  if (request?.key !== undefined) keys?.release(request.key, request.callId);
}

/** Records how a request ended. A call that may still be resumed is kept. */
export function endApproval(
  session: Session,
  { approvalId, end }: SessionEvent & { readonly kind: "approval_ended" },
): void {
  const pending = session.approval?.id === approvalId ? session.approval : null;
  const request = pending ?? session.resumable.get(approvalId);
  invariant(request !== undefined, "only approvals that were asked for end");
  session.resumable.delete(approvalId);
  const { callId, rule } = request;
  const isResumable = end === "granted" || (end === "expired" && request.onTimeout === "allow");
  const ended = { end, callId, ...becauseIn(request) };
  session.answered.set(approvalId, rule === undefined ? ended : { ...ended, rule });
  dropOldest(session.answered, MOST_ENDED);
  if (isResumable) {
    // The call may still be resumed; until then it keeps its key.
    session.resumable.set(approvalId, request);
    releaseKey(session, dropOldest(session.resumable, MOST_RESUMABLE));
  } else releaseKey(session, request);
  if (pending !== null) session.approval = null;
}

/** Records the approval of one person, where several must approve. */
export function giveApproval(
  session: Session,
  { approvalId, by }: SessionEvent & { readonly kind: "approval_given" },
): void {
  const { approval } = session;
  invariant(approval?.id === approvalId, "only a pending request is approved");
  session.approval = { ...approval, approvedBy: [...(approval.approvedBy ?? []), by] };
}
