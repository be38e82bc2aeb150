import type { Json } from "../base/json.js";
import type { SessionEvent } from "../guard/session/event.js";
import type { Outcome } from "../guard/session/outcome.js";
import { leavesEffectUnknown } from "../guard/session/settlement.js";

/** What happened to a session beside its calls. */
export type Beside =
  | { readonly kind: "step" }
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "cost"; readonly usd: number };

/** What a guard recorded after a call was allowed. */
export type RecordedEnding = SessionEvent & {
  readonly kind: "settled" | "late_result" | "late_result_acknowledged";
};

/** How a recorded call ended. */
export type TracedOutcome =
  | Outcome
  /** As a guard judged it, in order; nothing while the call is unsettled. Of an output parts may be missing, and all of a rejected one. */
  | { readonly kind: "recorded"; readonly endings: readonly RecordedEnding[] };

/** A call of a recorded session. */
export interface TracedCall {
  readonly tool: string;
  readonly args: Json;
  /** Undefined if the record does not say how it ended. */
  readonly outcome: TracedOutcome | undefined;
  /** What happened since the call before. */
  readonly before: readonly Beside[];
  /** In milliseconds since 1970; null if the record does not say. */
  readonly at: number | null;
  /** Of the tool and all arguments, where only those arguments are known that the rules of a guard read. */
  readonly digest?: string;
  /** A guard refused those of which only parts are known by their JSON Schema. */
  readonly isMismatch?: true;
}

/** How a call ended in the words of its caller. */
export function outcomeOf({ outcome }: TracedCall): Outcome | undefined {
  if (outcome?.kind !== "recorded") return outcome;
  const last = outcome.endings.findLast((each) => each.kind === "settled");
  switch (last?.ending) {
    case "committed":
      return last.output === undefined ? { kind: "happened" } : { kind: "result", output: last.output };
    case "released":
      return { kind: "did_not_happen" };
    default:
      return { kind: "timeout" };
  }
}

/** Whether a call may have happened though no output of it can be used. */
export function isUnanswered(call: TracedCall): boolean {
  const outcome = outcomeOf(call);
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
