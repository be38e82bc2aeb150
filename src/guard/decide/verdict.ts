import type { CheckOf } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import type { Reason } from "../../artifact/reasons.js";
import type { NeededCall } from "../expression/needed-call.js";

/** Nothing refuses the call. */
export interface Allow {
  readonly kind: "allow";
}

/**
 * What lifts a refusal, where its reason alone does not tell: the operator sets a variable, an unsettled call ends, the next step
 * begins (for a call that was made to count, or because this one is full), an earlier tool answers otherwise, the arguments change.
 */
type Remedy = "variable" | "settlement" | "next_step" | "further_step" | "other_output" | "arguments";

/** A refusal: why, by which rule, what it requires and what it found. */
export interface Block {
  readonly kind: "block";
  readonly reason: Reason;
  readonly at: Place | null;
  readonly required: string;
  readonly found: string;
  /** Null if the reason tells. */
  readonly remedy: Remedy | null;
  /** Tools of which any has to be called first; empty if none has. */
  readonly after: readonly string[];
  /** The words of the policy that the rule was written for, if it has any. */
  readonly because?: string;
  /** The call that would set what is missing, in words; a call of one of `after`. */
  readonly needed?: string;
  /** Each of these calls, as far as their arguments are known. */
  readonly calls?: readonly NeededCall[];
}

/** The call needs an approval first. */
export interface NeedsApproval {
  readonly kind: "needs_approval";
  readonly checkpoints: readonly CheckOf<"checkpoint">[];
}

export type Decision = Allow | Block | NeedsApproval;

/** Shared, so that allowing a call builds nothing. */
export const ALLOW: Allow = Object.freeze({ kind: "allow" });

const NOTHING: readonly string[] = Object.freeze([]);

/** Builds a refusal; called only when a call is refused. */
export function block(
  reason: Reason,
  at: Place | null,
  required: string,
  found: string,
  remedy: Remedy | null = null,
): Block {
  return { kind: "block", reason, at, required, found, remedy, after: NOTHING };
}

/** Builds a refusal that a call of one of these tools may lift. */
export function blockUntil(
  after: readonly string[],
  ...[reason, at, required, found]: readonly [Reason, Place | null, string, string]
): Block {
  return { kind: "block", reason, at, required, found, remedy: null, after };
}

/** The words of the policy, where there are any. */
export interface Because {
  readonly because?: string;
}

/** The words of something that has other fields too. */
export function becauseIn({ because }: Because): Because {
  return because === undefined ? {} : { because };
}

/** Adds the words of the policy to a refusal; a rule without any leaves it as it is. */
export function withBecause(refusal: Block, because: string | undefined): Block {
  if (because === undefined) return refusal;
  // Field by field: copying with `...` takes as long as the rest of the refusal.
  const { kind, reason, at, required, found, remedy, after, needed } = refusal;
  const worded = { kind, reason, at, required, found, remedy, after, because };
  return needed === undefined ? worded : { ...worded, needed };
}

/** A text of refusals that is the same each time, built when it is first needed: most checks never refuse. */
export function textOnce(build: () => string): () => string {
  let text: string | null = null;
  return () => {
    text ??= build();
    return text;
  };
}

/** Found when a checkpoint asks for an approval and there is no approver. */
export const NO_APPROVER = "no approver is configured";

/** What helps a session that began under another artifact: none of its tools is callable. */
export const OTHER_ARTIFACT = "open the session with its own artifact, or move it with `migrateSession`";

/** The refusal of a call that cannot be judged within the budget of work; `at` is the rule that exceeded it. */
export function tooCostly(at: Place | null): Block {
  return block("unjudgeable_cost", at, "values small enough for the rule to be judged", "too much work");
}
