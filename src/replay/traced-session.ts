import type { Json } from "../base/json.js";
import type { Outcome } from "../guard/session/outcome.js";
import { leavesEffectUnknown } from "../guard/session/settlement.js";

/** What happened to a session beside its calls. */
export type Beside =
  | { readonly kind: "step" }
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "cost"; readonly usd: number };

/** A call of a recorded session. */
export interface TracedCall {
  readonly tool: string;
  readonly args: Json;
  /** Undefined if the record does not say how it ended. */
  readonly outcome: Outcome | undefined;
  /** What happened since the call before. */
  readonly before: readonly Beside[];
  /** In milliseconds since 1970; null if the record does not say. */
  readonly at: number | null;
}

/** Whether a call may have happened though it ended with an error. */
export function isUnanswered({ outcome }: TracedCall): boolean {
  return (outcome?.kind === "error" || outcome?.kind === "timeout") && leavesEffectUnknown(null, outcome);
}

/** A recorded session. */
export interface TracedSession {
  /** Null if the record has none. */
  readonly id: string | null;
  readonly principal: Json | null;
  readonly labels: readonly string[];
  readonly calls: readonly TracedCall[];
}

/** A record that cannot be read: what is wrong where, without showing it, because it may be private. */
export class UnreadableTrace extends Error {}
