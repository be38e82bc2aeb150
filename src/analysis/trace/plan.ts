import type { Json, JsonObject } from "../../base/json.js";

/** What becomes of a planned call: an answer, none yet, a failure before it was sent, or an answer that got lost. */
export type PlannedOutcome =
  | { readonly kind: "result"; readonly output: Json }
  | { readonly kind: "open" }
  | { readonly kind: "failed" }
  | { readonly kind: "lost" };

/** One thing to be done to a session. */
export type Action =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly args: JsonObject;
      /** Should the call be allowed. */
      readonly outcome: PlannedOutcome;
      /** Nobody answers when an approval is asked for, until its time is up; else it is given at once. */
      readonly isUnanswered?: true;
    }
  /** The call that was left open answers. */
  | { readonly kind: "settle"; readonly output: Json }
  /** The model's next turn: what follows belongs to one step. */
  | { readonly kind: "step" }
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "cost"; readonly usd: number };

/** Who calls, and the environment the rules read: fixed for a session. */
export interface Circumstances {
  readonly principal: Json | null;
  readonly env: Readonly<Record<string, string>>;
}

/** A session as it is to be played. */
export interface Plan extends Circumstances {
  readonly actions: readonly Action[];
}
