import type { CheckOf } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import type { Reason } from "../../artifact/reasons.js";

/** Nothing stands in the way. */
export interface Allow {
  readonly kind: "allow";
}

/** A refusal: why, by which rule, what it asked for and what it found. */
export interface Block {
  readonly kind: "block";
  readonly reason: Reason;
  readonly at: Place | null;
  readonly required: string;
  readonly found: string;
  /** What was found is that an environment variable is unset, which no argument can help. */
  readonly lacksVariable: boolean;
  /** Tools of which a call has to come first, any of them; empty where nothing has. */
  readonly after: readonly string[];
}

/** A person has to agree first. */
export interface NeedsApproval {
  readonly kind: "needs_approval";
  readonly checkpoints: readonly CheckOf<"checkpoint">[];
}

export type Decision = Allow | Block | NeedsApproval;

/** Shared, so that allowing a call builds nothing. */
export const ALLOW: Allow = Object.freeze({ kind: "allow" });

const NOTHING: readonly string[] = Object.freeze([]);

/** Builds a refusal; only ever called when one is given. */
export function block(reason: Reason, at: Place | null, required: string, found: string, lacksVariable = false): Block {
  return { kind: "block", reason, at, required, found, lacksVariable, after: NOTHING };
}

/** Builds a refusal that a call of one of these tools may lift. */
export function blockUntil(
  after: readonly string[],
  ...[reason, at, required, found]: readonly [Reason, Place | null, string, string]
): Block {
  return { kind: "block", reason, at, required, found, lacksVariable: false, after };
}

/** A text of refusals that is the same each time, built when it is first asked for: most checks never refuse. */
export function textOnce(build: () => string): () => string {
  let text: string | null = null;
  return () => {
    text ??= build();
    return text;
  };
}

/** What is found where a checkpoint asks and nobody can be asked. */
export const NO_APPROVER = "no approver is configured";

/** The refusal of what cannot be judged within the budget of work; `at` is the rule that met its end. */
export function tooCostly(at: Place | null): Block {
  return block("unjudgeable_cost", at, "values small enough for the rule to be judged", "too much work");
}
