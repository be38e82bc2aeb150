import type { Json } from "../../base/json.js";
import type { ApprovalEnd, PendingApproval } from "./pending-approval.js";

/** How a call ended; `indeterminate` if its effect is unknown. */
export type Ending = "committed" | "violated" | "released" | "indeterminate";

/** What an ending means for the count of errors in a row. */
export type ErrorSign = "error" | "success" | "neither";

/** What ended a session: a call of `kill`, or one of its circuit breakers. */
export type KillCause = "kill" | "consecutive_blocks" | "consecutive_errors";

/** Everything that can happen to a session. Replaying the events of a session gives the same session. */
export type SessionEvent =
  | {
      readonly kind: "reserved";
      readonly callId: string;
      readonly tool: string;
      readonly args: Json;
      /** Its id was issued when the approval was asked for. */
      readonly isApproved: boolean;
      /** The key its caller gave it. */
      readonly key?: string;
      /** Of the tool and all arguments, where `args` are only the parts that rules read. */
      readonly digest?: string;
      /** When it was recorded, where the session is stored. */
      readonly at?: number;
    }
  /** The caller of this reservation was told that the store is unavailable: the call was never sent. */
  | { readonly kind: "unanswered"; readonly callId: string }
  | { readonly kind: "blocked" }
  | {
      readonly kind: "settled";
      readonly callId: string;
      readonly ending: Ending;
      /** Undefined if no output came. */
      readonly output?: Json;
      readonly sign: ErrorSign;
      /** Settled as `did_not_happen`: a result may still come. */
      readonly isDenied?: true;
    }
  /** A result came after the call was settled as `did_not_happen`. */
  | { readonly kind: "late_result"; readonly callId: string }
  /** Somebody found out whether the call with a late result happened. */
  | { readonly kind: "late_result_acknowledged"; readonly callId: string; readonly happened: boolean }
  | { readonly kind: "step_begun" }
  | { readonly kind: "cost_recorded"; readonly usd: number }
  | { readonly kind: "label_added"; readonly label: string }
  | { readonly kind: "killed"; readonly why: string }
  | { readonly kind: "approval_requested"; readonly request: PendingApproval }
  /** One of the approvals that a request needs. */
  | { readonly kind: "approval_given"; readonly approvalId: string; readonly by: string; readonly note?: string }
  | {
      readonly kind: "approval_ended";
      readonly approvalId: string;
      readonly end: ApprovalEnd;
      /** The approver and the note, for readers of the events; the guard uses neither. */
      readonly by?: string;
      readonly note?: string;
    };
