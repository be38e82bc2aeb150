import type { Place } from "../artifact/compiled-value.js";
import type { Json } from "../base/json.js";
import { becauseIn } from "../guard/decide/verdict.js";
import type { PendingApproval } from "../guard/session/pending-approval.js";

/** A request for an approval as approvers see it. */
export interface StoredApproval {
  readonly id: string;
  readonly session: string;
  readonly tool: string;
  /** What the contract names for approvers. */
  readonly context: readonly { readonly label: string; readonly value: Json }[];
  /** The checkpoints that ask. */
  readonly rules: readonly Place[];
  /** The words of the policy that the first of them with any was written for. */
  readonly because?: string;
  readonly requester: string | null;
  /** In milliseconds since 1970. */
  readonly deadline: number;
  readonly approvedBy: readonly string[];
  /** How many people have to approve. */
  readonly needed: number;
}

/** The same with what is stored of the arguments. */
export interface ShownApproval extends StoredApproval {
  readonly arguments: Json;
}

/** A request as lists show it. */
export function storedApproval(session: string, request: PendingApproval): StoredApproval {
  const { id, tool, context = [], rules = [], requester = null, deadline, approvedBy = [], needed = 1 } = request;
  const asked = { id, session, tool, context, rules, ...becauseIn(request) };
  return structuredClone({ ...asked, requester, deadline, approvedBy, needed });
}

/** A request with its arguments. */
export function shownApproval(session: string, request: PendingApproval): ShownApproval {
  return { ...storedApproval(session, request), arguments: structuredClone(request.args) };
}
