import type { Place } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";

/** An approval that a call waits for. */
export interface PendingApproval {
  readonly id: string;
  /** The id the call will have once it is approved. */
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  readonly deadline: number;
  readonly onTimeout: "deny" | "allow";
  readonly artifactHash: string;
  /** The key its caller gave it. */
  readonly key?: string;
  /** The checkpoint that asked for it, the tool's own first; absent in old events. */
  readonly rule?: Place;
}

/**
 * How an approval ended; `resumed` is one that expired with `on_timeout: allow` and was resumed, `withdrawn` one that no
 * caller waited for.
 */
export type ApprovalEnd = "approved" | "denied" | "expired" | "resumed" | "withdrawn";

/** An approval that ended: enough to report its end again, but no arguments. */
export interface EndedApproval {
  readonly end: ApprovalEnd;
  readonly callId: string;
  /** The checkpoint that asked for it. */
  readonly rule?: Place;
}

/** What a session knows of its approvals. */
export interface SessionApprovals {
  approval: PendingApproval | null;
  /** The approvals that ended last, oldest first. */
  readonly answered: Map<string, EndedApproval>;
  /** Those that expired with `on_timeout: allow` and were not resumed yet: resuming judges the call again. */
  readonly resumable: Map<string, PendingApproval>;
}

/** The request of a call that may still be allowed: by an approver, or after its deadline by `on_timeout: allow`. */
export function waitingCall({ approval, resumable }: SessionApprovals, callId: string): PendingApproval | null {
  if (approval?.callId === callId) return approval;
  for (const request of resumable.values()) if (request.callId === callId) return request;
  return null;
}
