import type { Place } from "../../artifact/compiled-value.js";
import type { Reason } from "../../artifact/reasons.js";
import type { Json, JsonObject } from "../../base/json.js";
import { becauseIn } from "../decide/verdict.js";
import type { RecordedAnswer, Verdict } from "../public.js";
import type { Outcome } from "../session/outcome.js";
import type { Settlement } from "../session/settlement.js";

/** A verdict as it is recorded: nothing of its texts, which may show arguments. */
export interface RecordedVerdict {
  readonly kind: Verdict["kind"] | RecordedAnswer["kind"];
  readonly reason?: Reason;
  readonly rule?: Place;
  /** The words of the rule, which show nothing of a call; absent in older records. */
  readonly because?: string;
  /** The checkpoints that ask for an approval. */
  readonly rules?: readonly Place[];
  readonly callId?: string;
  readonly approvalId?: string;
  readonly repeated?: true;
  /** In shadow mode: the verdict of enforce mode. */
  readonly would?: RecordedVerdict;
}

/** The call that a verdict is about. */
export interface RecordedCall {
  /** Null if the name of the tool was no text. */
  readonly tool: string | null;
  /** Of the tool and all arguments; absent if they could not be read, or if the event of the record has it. */
  readonly digest?: string;
  /** The parts of the arguments that rules read; absent if the event of the record has them. */
  readonly fields?: Json;
  readonly key?: string;
  /** What the contract names for approvers. */
  readonly context?: readonly { readonly label: string; readonly value: Json }[];
}

/** Who changed a session from outside, and why. */
export interface Operator {
  readonly by: string;
  readonly why: string;
}

/** What a record says beside its event. */
export interface Note {
  /** The first record of a session. */
  readonly opened?: {
    /** So that the records of one session cannot be passed off as those of another. */
    readonly session: string;
    readonly agent: string;
    readonly role: string | null;
    readonly mode: string;
    readonly requester?: string;
    /** The workflow that it is a session of, the session that handed off to it, and what that brought. */
    readonly workflow?: string;
    readonly parent?: string;
    readonly artifacts?: JsonObject;
  };
  /** The first record of a workflow: so that its records cannot be passed off as those of another. */
  readonly workflow?: { readonly id: string; readonly name: string };
  /** How many records of the log of its workflow the verdict was judged by. */
  readonly judgedAt?: number;
  /** The session was moved from another artifact to that of the record. */
  readonly migrated?: { readonly from: string };
  readonly verdict?: RecordedVerdict;
  readonly call?: RecordedCall;
  /** The verdict is about a call that waited for this approval. */
  readonly resumed?: string;
  /** The verdict is about the beginning of a step. */
  readonly step?: true;
  /** How the guard judged, where that is not `enforce`. */
  readonly mode?: "shadow" | "log-only";
  /** The guard allowed tools without a contract. */
  readonly unmatched?: "allow";
  /** An answer to a request for an approval, whatever became of it. */
  readonly answer?: {
    readonly approvalId: string;
    readonly end: "approved" | "denied";
    readonly by?: string;
    readonly note?: string;
  };
  readonly settlement?: {
    readonly callId: string;
    readonly outcome: Outcome["kind"];
    readonly accepted: boolean;
    readonly reason?: string;
    /** The rule that the output broke. */
    readonly rule?: Place | null;
    readonly because?: string;
  };
  readonly operator?: Operator;
  /** Of the principal for whom the agent runs. */
  readonly principal?: string;
}

/** The note of a settlement, accepted or not. */
export function settlementNote(callId: string, { kind }: Outcome, settlement: Settlement): Note {
  const { accepted } = settlement;
  const settled = { callId, outcome: kind, accepted };
  if (!accepted) return { settlement: { ...settled, reason: settlement.reason } };
  const { violation } = settlement;
  if (violation === null) return { settlement: settled };
  const { reason, rule } = violation;
  return { settlement: { ...settled, reason, rule, ...becauseIn(violation) } };
}
