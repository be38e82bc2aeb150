import type { Place } from "../../artifact/compiled-value.js";
import type { Reason } from "../../artifact/reasons.js";
import { reasonOf } from "../checks/checkpoint.js";
import { type Because, type Block, block, NO_APPROVER, withBecause } from "../decide/verdict.js";
import type { Checkpoints } from "../public.js";
import type { PendingApproval } from "../session/pending-approval.js";
import { isNamed, isSamePerson } from "./person.js";

/** Why somebody cannot approve a request; null if they can. Where who it is matters, an approver without a name cannot. */
export function approverRefusal(request: PendingApproval, by: string | undefined): Block | null {
  const { approvedBy = [], needed = 1 } = request;
  if (!excludesRequester(request) && needed === 1) return null;
  if (!isNamed(by)) return blockFor(request, "approver_unnamed", "the name of the approver", "none");
  const own = requesterRefusal(request, by);
  if (own !== null) return own;
  if (!approvedBy.some((other) => isSamePerson(by, other))) return null;
  return blockFor(request, "approver_repeated", `${needed} different people`, "one who has approved already");
}

function excludesRequester({ requester, notRequester }: PendingApproval): boolean {
  return requester !== undefined && notRequester === true;
}

/** Who asked cannot answer, also not with a denial; null if it is somebody else, or that does not matter. */
export function requesterRefusal(request: PendingApproval, by: string | undefined): Block | null {
  const { requester } = request;
  if (!excludesRequester(request) || requester === undefined || !isNamed(by) || !isSamePerson(by, requester))
    return null;
  return blockFor(request, "approver_is_requester", "another person than the one who asked", "the same");
}

/** The refusal of a call that nobody can be asked about. */
export function noApprover(checkpoints: Checkpoints): Block {
  const refusal = block("approval_denied", checkpoints[0]?.at ?? null, "an approval", NO_APPROVER);
  return withBecause(refusal, reasonOf(checkpoints).because);
}

/** What a request knows of the checkpoint that it is for. */
export interface Asking extends Because {
  readonly rule?: Place;
}

/** The refusal of a call at its checkpoint. */
export function blockFor(request: Asking | undefined, reason: Reason, required: string, found: string): Block {
  return withBecause(block(reason, request?.rule ?? null, required, found), request?.because);
}
