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
    }
  | { readonly kind: "blocked" }
  | {
      readonly kind: "settled";
      readonly callId: string;
      readonly ending: Ending;
      /** Undefined if no output came. */
      readonly output?: Json;
      readonly sign: ErrorSign;
    }
  | { readonly kind: "step_begun" }
  | { readonly kind: "cost_recorded"; readonly usd: number }
  | { readonly kind: "label_added"; readonly label: string }
  | { readonly kind: "killed"; readonly why: string }
  | { readonly kind: "approval_requested"; readonly request: PendingApproval }
  | {
      readonly kind: "approval_ended";
      readonly approvalId: string;
      readonly end: ApprovalEnd;
      /** The approver and the note, for readers of the events; the guard uses neither. */
      readonly by?: string;
      readonly note?: string;
    };
