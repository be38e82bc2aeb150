import type { Json } from "../../base/json.js";
import type { ApprovalEnd, PendingApproval } from "./pending-approval.js";

/** How a call ended, or that nobody knows yet. */
export type Ending = "committed" | "violated" | "released" | "indeterminate";

/** What an ending says about errors in a row. */
export type ErrorSign = "error" | "success" | "neither";

/** What ended a session: somebody, or one of its circuit breakers. */
export type KillCause = "kill" | "consecutive_blocks" | "consecutive_errors";

/** Everything that can happen to a session. Replaying the events of a session gives the same session. */
export type SessionEvent =
  | {
      readonly kind: "reserved";
      readonly callId: string;
      readonly tool: string;
      readonly args: Json;
      /** Its id was given out when the approval was asked for. */
      readonly isApproved: boolean;
      /** The key its caller gave it. */
      readonly key?: string;
    }
  | { readonly kind: "blocked" }
  | {
      readonly kind: "settled";
      readonly callId: string;
      readonly ending: Ending;
      /** Undefined where no output came. */
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
      /** Who answered and what they had to say, for whoever reads the events later; the guard looks at neither. */
      readonly by?: string;
      readonly note?: string;
    };
