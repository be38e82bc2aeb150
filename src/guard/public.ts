import type { CheckOf } from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import type { Reason } from "../artifact/reasons.js";
import type { Json } from "../base/json.js";
import type { Ending, KillCause } from "./session/event.js";
import type { SessionStore } from "./session/store.js";

/** A call may be made; settle it under this id. In shadow mode `would` says what enforcing would have done. */
export interface AllowVerdict {
  readonly kind: "allow";
  readonly callId: string;
  readonly would?: BlockVerdict | ApprovalVerdict;
  /** The call was proposed under its key before: whoever proposed it first makes it. */
  readonly repeated?: true;
}

/** A call must not be made: why, by which rule, and what the agent can do about it. */
export interface BlockVerdict {
  readonly kind: "block";
  readonly reason: Reason;
  readonly message: string;
  readonly rule?: Place;
  readonly required?: string;
  readonly found?: string;
  readonly hint?: string;
}

/** A person has to approve the call first; the session is paused until then. */
export interface ApprovalVerdict {
  readonly kind: "approval_required";
  readonly approvalId: string;
  readonly callId: string;
  readonly message: string;
  readonly rules: readonly Place[];
  /** Milliseconds, by the guard's clock. */
  readonly deadline: number;
  readonly context: readonly { readonly label: string; readonly value: Json }[];
  /** The call was proposed under its key before. */
  readonly repeated?: true;
}

export type Verdict = AllowVerdict | BlockVerdict | ApprovalVerdict;

/** What an approver is asked. */
export interface ApprovalRequest extends ApprovalVerdict {
  readonly sessionId: string;
  readonly tool: string;
  readonly args: Json;
}

/** What an approver answers. */
export interface ApprovalAnswer {
  readonly decision: "approve" | "deny";
  readonly by: string;
  readonly note?: string;
}

/** Who answered an approval, and what they had to say. */
export interface Answer {
  readonly by: string;
  readonly note?: string;
}

/** A rule that an output broke. */
export interface Violation {
  readonly reason: "output_invariant_failed" | "output_stage_violated" | "output_not_json" | "unjudgeable_cost";
  readonly rule: Place | null;
  readonly required: string;
  readonly found: string;
}

/** What settling a call gave. */
export interface SettleResult {
  readonly accepted: boolean;
  readonly reason?: string;
  readonly violation?: Violation;
}

/** A session as it stands. */
export interface SessionState {
  readonly phase: string | null;
  readonly steps: number;
  readonly toolCalls: number;
  readonly bindings: Readonly<Record<string, Json>>;
  readonly aggregates: Readonly<Record<string, number | null>>;
  readonly labels: readonly string[];
  readonly killed: boolean;
  readonly unsettled: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly status: "running" | "indeterminate";
  }[];
  readonly cost: number;
}

/** What the model should be offered now, and why not the rest. */
export interface VisibleTools {
  readonly visible: readonly string[];
  readonly hidden: readonly { readonly tool: string; readonly reason: Reason }[];
}

/** Where the time comes from, in milliseconds. */
export interface Clock {
  now(): number;
}

/** How a guard is made. */
export interface GuardOptions {
  readonly sessionId?: string;
  /** Who is calling; needed where a rule of the pack looks at it. */
  readonly principal?: unknown;
  readonly mode?: "enforce" | "shadow" | "log-only";
  readonly unmatched?: "block" | "allow";
  /** "manual" waits for `approve` or `deny`; a function is asked; without one every checkpoint denies. */
  readonly approver?: "manual" | ((request: ApprovalRequest) => Promise<ApprovalAnswer>);
  readonly store?: SessionStore;
  readonly clock?: Clock;
  /**
   * The variables that `equals_env` compares with, by default those of the process. A guard does not start while one of them is
   * unset; "lenient" takes those of the process as they are, and what compares with an unset one blocks.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | "lenient";
  /** Which role of a workflow the session plays; its pack is the one that counts. */
  readonly role?: string;
  /** For an artifact with a workflow: says that one knows that the guard does not enforce workflow.yaml. */
  readonly workflow?: "unenforced";
  /** How long each call of the store may take, in milliseconds; 5,000 unless told. */
  readonly storeTimeoutMs?: number;
  /** How long settling a call is tried, in milliseconds; 30,000 unless told. */
  readonly settleTimeoutMs?: number;
}

/** A proposal as a caller makes it. */
export interface ProposedCall {
  readonly tool: string;
  readonly args: unknown;
  /** Names the call: proposed again under its key it is not reserved again. A text of 1 to 256 characters. */
  readonly callKey?: string;
}

/** What a guard tells whoever listens; no arguments, outputs or principals. */
export interface GuardEvents {
  decision: {
    /** Null where a waiting call was answered or resumed, or where the name of the tool was no text. */
    readonly tool: string | null;
    readonly kind: Verdict["kind"];
    readonly reason?: Reason;
    /** Of the refusal; in shadow mode, of the one that enforcing would have given. */
    readonly rule?: Place | null;
    readonly callId?: string;
    /** In shadow mode: the reason enforcing would have given. */
    readonly would?: Reason;
    /** In shadow mode: the checkpoints for which enforcing would have asked for an approval. */
    readonly rules?: readonly Place[];
  };
  settled: {
    readonly callId: string;
    readonly accepted: boolean;
    readonly ending?: Ending;
    /** Why it was not accepted, or what the output broke. */
    readonly reason?: string;
    /** The rule that the output broke; null where no rule of the pack was responsible. */
    readonly rule?: Place | null;
  };
  killed: { readonly why: string; readonly cause: KillCause };
  approval_requested: {
    readonly approvalId: string;
    readonly tool: string;
    readonly deadline: number;
    readonly rules: readonly Place[];
  };
  approval_answered: {
    readonly approvalId: string;
    /** `withdrawn` where whoever waited for the answer gave up. */
    readonly end: "approved" | "denied" | "withdrawn";
    readonly by: string;
    readonly note?: string;
  };
}

/** The checkpoints behind one approval. */
export type Checkpoints = readonly CheckOf<"checkpoint">[];
