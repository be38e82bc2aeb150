import type { Place } from "../../artifact/compiled-value.js";
import type { Reason } from "../../artifact/reasons.js";
import type { Json, JsonObject } from "../../base/json.js";

/** The guard's verdict on a call; a requested approval is given, unless it expires. */
export type StepVerdict =
  | { readonly kind: "allow" }
  | {
      readonly kind: "approval";
      readonly rules: readonly Place[];
      readonly because?: string;
      readonly isUnanswered?: true;
    }
  | {
      readonly kind: "block";
      readonly reason: Reason;
      readonly rule: Place | null;
      /** The words of the policy that the rule was written for. */
      readonly because?: string;
      readonly required: string;
      readonly found: string;
    };

/** The outcome of an allowed call. */
export type StepOutcome =
  | { readonly kind: "result"; readonly output: Json }
  /** Its output breaks a rule: the effect counts, the result does not. */
  | {
      readonly kind: "violated";
      readonly output: Json;
      readonly reason: Reason;
      readonly rule: Place | null;
      readonly because?: string;
    }
  /** It could not be sent. */
  | { readonly kind: "failed" }
  /** Its answer did not come in time; it may have happened. */
  | { readonly kind: "lost" }
  /** It is still running during the following steps. */
  | { readonly kind: "open" };

/** An event of a session, and the phase after it; null without phases. */
export type TraceStep =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly args: JsonObject;
      readonly verdict: StepVerdict;
      /** Null if the call is not made. */
      readonly outcome: StepOutcome | null;
      readonly phase: string | null;
    }
  /** The unsettled call answers. */
  | { readonly kind: "settle"; readonly tool: string; readonly output: Json; readonly phase: string | null }
  /** The model's next turn begins: the calls that follow belong to one step. */
  | { readonly kind: "step"; readonly phase: string | null }
  | { readonly kind: "label"; readonly label: string; readonly phase: string | null }
  | { readonly kind: "cost"; readonly usd: number; readonly phase: string | null }
  /** The clock, which starts at 0, goes on to a time in milliseconds since 1970. */
  | { readonly kind: "clock"; readonly now: number; readonly phase: string | null };

/** A session from its beginning, with concrete values. */
export interface Trace {
  readonly principal: Json | null;
  /** The environment variables that the rules read. */
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly TraceStep[];
}
