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
  /** Of the tool and all arguments, where `args` are only the parts that rules read. */
  readonly digest?: string;
  /** The guard whose caller waits for the answer. */
  readonly guard?: string;
  /** Who asks, and whether the same person may answer. */
  readonly requester?: string;
  readonly notRequester?: boolean;
  /** How many people have to approve; one, if it is absent. */
  readonly needed?: number;
  /** Who has approved so far. */
  readonly approvedBy?: readonly string[];
  /** What an approver is shown, where others than the guard's own approver may answer. */
  readonly context?: readonly { readonly label: string; readonly value: Json }[];
  readonly rules?: readonly Place[];
  /** Which checkpoints of the tool asked, by their order; only where they depend on more than the arguments. */
  readonly asking?: readonly number[];
  /** The reason of the first checkpoint that has one. */
  readonly because?: string;
}

/**
 * How an approval ended; `granted` is one that was approved through another guard and was not resumed yet, `resumed` one that
 * expired with `on_timeout: allow` and was resumed, `withdrawn` one that no caller waited for.
 */
export type ApprovalEnd = "approved" | "granted" | "denied" | "expired" | "resumed" | "withdrawn";

/** An approval that ended: enough to report its end again, but no arguments. */
export interface EndedApproval {
  readonly end: ApprovalEnd;
  readonly callId: string;
  /** The checkpoint that asked for it. */
  readonly rule?: Place;
  readonly because?: string;
}

/** What a session knows of its approvals. */
export interface SessionApprovals {
  approval: PendingApproval | null;
  /** The approvals that ended last, oldest first. */
  readonly answered: Map<string, EndedApproval>;
  /** Those that were granted, or expired with `on_timeout: allow`, and were not resumed yet: resuming judges the call again. */
  readonly resumable: Map<string, PendingApproval>;
}

/** The request of a call that may still be allowed: by an approver, by being resumed, or after its deadline. */
export function waitingCall({ approval, resumable }: SessionApprovals, callId: string): PendingApproval | null {
  if (approval?.callId === callId) return approval;
  for (const request of resumable.values()) if (request.callId === callId) return request;
  return null;
}
