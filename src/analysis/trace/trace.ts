import type { Place } from "../../artifact/compiled-value.js";
import type { Reason } from "../../artifact/reasons.js";
import type { Json, JsonObject } from "../../base/json.js";

/** What the guard says of a call; an approval that is asked for is given, unless its time runs out. */
export type StepVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "approval"; readonly rules: readonly Place[]; readonly isUnanswered?: true }
  | {
      readonly kind: "block";
      readonly reason: Reason;
      readonly rule: Place | null;
      readonly required: string;
      readonly found: string;
    };

/** What becomes of a call that goes out. */
export type StepOutcome =
  | { readonly kind: "result"; readonly output: Json }
  /** Its output breaks a rule: the effect counts, the result does not. */
  | { readonly kind: "violated"; readonly output: Json; readonly reason: Reason; readonly rule: Place | null }
  /** It could not be sent. */
  | { readonly kind: "failed" }
  /** Its answer never came in time, so that it may have happened. */
  | { readonly kind: "lost" }
  /** It is still running while the following steps happen. */
  | { readonly kind: "open" };

/** Something that happens in a session, and the phase it leaves it in; null without phases. */
export type TraceStep =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly args: JsonObject;
      readonly verdict: StepVerdict;
      /** Null where the call does not go out. */
      readonly outcome: StepOutcome | null;
      readonly phase: string | null;
    }
  /** The call that was still running answers. */
  | { readonly kind: "settle"; readonly tool: string; readonly output: Json; readonly phase: string | null }
  /** The model's next turn begins: the calls that follow belong to one step. */
  | { readonly kind: "step"; readonly phase: string | null }
  | { readonly kind: "label"; readonly label: string; readonly phase: string | null }
  | { readonly kind: "cost"; readonly usd: number; readonly phase: string | null };

/** A session from its beginning, with concrete values. */
export interface Trace {
  readonly principal: Json | null;
  /** The environment variables that the rules read. */
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly TraceStep[];
}
