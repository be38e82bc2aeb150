import type { Json, JsonObject } from "../../base/json.js";

/** The outcome of a planned call: an answer, none yet, a failure before it was sent, or an answer that got lost. */
export type PlannedOutcome =
  | { readonly kind: "result"; readonly output: Json }
  | { readonly kind: "open" }
  | { readonly kind: "failed" }
  | { readonly kind: "lost" };

/** One step of a plan. */
export type Action =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly args: JsonObject;
      /** If the call is allowed. */
      readonly outcome: PlannedOutcome;
      /** A requested approval expires unanswered; otherwise it is given at once. */
      readonly isUnanswered?: true;
    }
  /** The unsettled call answers. */
  | { readonly kind: "settle"; readonly output: Json }
  /** The model's next turn: what follows belongs to one step. */
  | { readonly kind: "step" }
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "cost"; readonly usd: number }
  /** The clock is moved to a time in milliseconds since 1970; it never goes back, and starts at 0. */
  | { readonly kind: "clock"; readonly now: number };

/** An event from outside the calls. */
export type Signal = Exclude<Action, { readonly kind: "call" | "settle" }>;

/** The principal, and the environment that rules read: fixed for a session. */
export interface Circumstances {
  readonly principal: Json | null;
  readonly env: Readonly<Record<string, string>>;
}

/** A session to be replayed. */
export interface Plan extends Circumstances {
  readonly actions: readonly Action[];
}
