import type { CheckOf } from "../artifact/compiled.js";
import type { Place } from "../artifact/compiled-value.js";
import type { Reason } from "../artifact/reasons.js";
import type { Json } from "../base/json.js";
import type { DurableStore } from "./durable-store.js";
import type { CallOrigin } from "./session/call.js";
import type { Ending, KillCause } from "./session/event.js";
import type { SessionStore } from "./session/store.js";

/** The verdict on a step. In shadow mode `would` is the verdict of enforce mode. */
export type StepVerdict = { readonly kind: "allow"; readonly would?: BlockVerdict } | BlockVerdict;

/** A call may be sent; settle it under this id. In shadow mode `would` is the verdict of enforce mode. */
export interface AllowVerdict {
  readonly kind: "allow";
  readonly callId: string;
  readonly would?: BlockVerdict | ApprovalVerdict;
  /** The call was proposed under its key before: the first caller sends it. */
  readonly repeated?: true;
}

/** A call must not be sent: why, by which rule, and what the agent can do about it. */
export interface BlockVerdict {
  readonly kind: "block";
  readonly reason: Reason;
  readonly message: string;
  readonly rule?: Place;
  /** The words of the policy that the rule was written for, if it has any. */
  readonly because?: string;
  readonly required?: string;
  readonly found?: string;
  readonly hint?: string;
}

/** An approver has to allow the call first; the session is paused until then. */
export interface ApprovalVerdict {
  readonly kind: "approval_required";
  readonly approvalId: string;
  readonly callId: string;
  readonly message: string;
  readonly rules: readonly Place[];
  /** The words of the policy that the first rule with any was written for. */
  readonly because?: string;
  /** Milliseconds, by the guard's clock. */
  readonly deadline: number;
  readonly context: readonly { readonly label: string; readonly value: Json }[];
  /** Who has approved so far, where several people have to. */
  readonly approvedBy?: readonly string[];
  /** The call was proposed under its key before. */
  readonly repeated?: true;
}

export type Verdict = AllowVerdict | BlockVerdict | ApprovalVerdict;

/** An answer was recorded: the call waits for further approvals, or for the guard that proposed it to resume it. */
export interface RecordedAnswer {
  readonly kind: "recorded";
  /** How many people have approved, and how many have to. */
  readonly approvals: number;
  readonly needed: number;
}

/** The question to an approver. */
export interface ApprovalRequest extends ApprovalVerdict {
  readonly sessionId: string;
  readonly tool: string;
  readonly args: Json;
}

/** The answer of an approver. */
export interface ApprovalAnswer {
  readonly decision: "approve" | "deny";
  readonly by: string;
  readonly note?: string;
}

/** The approver who answered, and an optional note. */
export interface Answer {
  readonly by: string;
  readonly note?: string;
}

/** A rule that an output broke. */
export interface Violation {
  readonly reason:
    | "output_invariant_failed"
    | "output_stage_violated"
    | "output_not_json"
    | "guarantee_failed"
    | "unjudgeable_cost";
  /** The words of the policy that the rule was written for, if it has any. */
  readonly because?: string;
  readonly rule: Place | null;
  readonly required: string;
  readonly found: string;
  /** Outside enforce mode nothing is blocked: the output may be used all the same. */
  readonly enforced?: false;
}

/** The result of settling a call. */
export interface SettleResult {
  readonly accepted: boolean;
  readonly reason?: string;
  readonly violation?: Violation;
}

/**
 * The value of an aggregate; null before a maximum or minimum has one. With `per` the value for each of its values, by their
 * canonical JSON: `{ "\"ann\"": 20, "7": 5 }`.
 */
export type AggregateValue = number | null | Readonly<Record<string, number | null>>;

/** The present state of a session. */
export interface SessionState {
  readonly phase: string | null;
  readonly steps: number;
  readonly toolCalls: number;
  readonly bindings: Readonly<Record<string, Json>>;
  readonly aggregates: Readonly<Record<string, AggregateValue>>;
  readonly labels: readonly string[];
  readonly killed: boolean;
  readonly unsettled: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly status: "running" | "indeterminate";
  }[];
  readonly cost: number;
}

/** A call that was reserved and not settled. */
export interface UnsettledCall {
  readonly session: string;
  readonly callId: string;
  readonly tool: string;
  readonly status: "running" | "indeterminate";
  /** When it was recorded, in milliseconds since 1970; null where the session is not stored durably. */
  readonly since: number | null;
  /** `unanswered` if its caller never learnt of the reservation: the call was not sent. */
  readonly origin: CallOrigin;
  /** The key its caller gave it; null if none. */
  readonly key: string | null;
  /** What is stored of its arguments. */
  readonly fields: Json;
}

/** What became of a call; `unknown` leaves it unsettled. */
export type Resolution = "happened" | "did_not_happen" | "unknown";

/** What somebody found out about a call whose result came after it was settled as `did_not_happen`. */
export interface Acknowledgement {
  readonly by: string;
  readonly why: string;
  readonly happened: boolean;
}

/** The tools to offer the model now, and why the others are hidden. */
export interface VisibleTools {
  readonly visible: readonly string[];
  readonly hidden: readonly { readonly tool: string; readonly reason: Reason }[];
}

/** A source of time, in milliseconds. */
export interface Clock {
  now(): number;
}

/** The options of a guard. */
export interface GuardOptions {
  readonly sessionId?: string;
  /** Who is calling; required if a rule of the pack reads it. */
  readonly principal?: unknown;
  readonly mode?: "enforce" | "shadow" | "log-only";
  readonly unmatched?: "block" | "allow";
  /** "manual" waits for `approve` or `deny`; a function is asked; without an approver every checkpoint denies. */
  readonly approver?: "manual" | ((request: ApprovalRequest) => Promise<ApprovalAnswer>);
  /** Where the session is kept: a store of `contract-guard/stores`, or one of the caller's for its events. */
  readonly store?: SessionStore | DurableStore;
  /** What a durable store keeps of arguments and outputs: what rules read, or everything. "needed" by default. */
  readonly storeArguments?: "needed" | "all";
  /** Encrypts what a durable store keeps of the session; `open` decrypts it. Both or neither. */
  readonly seal?: (text: string) => string | Promise<string>;
  readonly open?: (sealed: string) => string | Promise<string>;
  /** On whose behalf the agent asks for approvals: a name. */
  readonly requester?: string;
  /** How many different people have to approve a call (1), and whether the requester is none of them (true). */
  readonly approvals?: { readonly quorum?: number; readonly notRequester?: boolean };
  /** Asked, when the guard is made, what became of calls that an earlier process left unsettled. */
  readonly resolver?: (call: UnsettledCall) => Promise<Resolution>;
  readonly clock?: Clock;
  /**
   * The variables that `equals_env` compares with, by default those of the process. A guard does not start while one of them is
   * unset; "lenient" accepts unset variables of the process, and rules that compare with one block.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | "lenient";
  /** How long each call of the store may take, in milliseconds; 5,000 by default. */
  readonly storeTimeoutMs?: number;
  /** How long the guard tries to settle a call, in milliseconds; 30,000 by default. */
  readonly settleTimeoutMs?: number;
}

/** A call that is proposed. */
export interface ProposedCall {
  readonly tool: string;
  readonly args: unknown;
  /** Names the call: proposed again under the same key, it is not reserved again. A text of 1 to 256 characters. */
  readonly callKey?: string;
  /**
   * A wrapped call will send it, with the same key and what this answers as `reserved`: if it needs an approval, that is then given
   * to the wrapped call.
   */
  readonly wrapped?: true;
}

/** The events that listeners get; they hold no arguments, outputs or principals. */
export interface GuardEvents {
  decision: {
    /** Null if a pending call was answered or resumed, or if the name of the tool was no text. */
    readonly tool: string | null;
    readonly kind: Verdict["kind"];
    readonly reason?: Reason;
    /** Of the refusal; in shadow mode, of the refusal in enforce mode. */
    readonly rule?: Place | null;
    /** The words of the policy that the rule was written for. */
    readonly because?: string;
    readonly callId?: string;
    /** The verdict was given before, and is no new decision. */
    readonly repeated?: true;
    /** In shadow mode: the reason of the refusal in enforce mode. */
    readonly would?: Reason;
    /** In shadow mode: the checkpoints that would have asked for an approval in enforce mode. */
    readonly rules?: readonly Place[];
  };
  settled: {
    readonly callId: string;
    readonly accepted: boolean;
    readonly ending?: Ending;
    /** Why it was not accepted, or why the output was rejected. */
    readonly reason?: string;
    /** The rule that the output broke; null where no rule of the pack was responsible. */
    readonly rule?: Place | null;
    readonly because?: string;
  };
  /** The cause is `workflow` if the session was ended together with others, or by its workflow. */
  killed: { readonly why: string; readonly cause: KillCause | "workflow" };
  approval_requested: {
    readonly approvalId: string;
    readonly tool: string;
    readonly deadline: number;
    readonly rules: readonly Place[];
    readonly because?: string;
  };
  approval_answered: {
    readonly approvalId: string;
    /** `withdrawn` if the caller that waited for the answer gave up. */
    readonly end: "approved" | "denied" | "withdrawn";
    readonly by: string;
    readonly note?: string;
  };
}

/** The checkpoints behind one approval. */
export type Checkpoints = readonly CheckOf<"checkpoint">[];
