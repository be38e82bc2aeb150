import type { RuleKind } from "../artifact/pack-rules.js";
import type { Reason } from "../artifact/reasons.js";

const LIMITS = ["max_steps", "max_tool_calls", "max_calls_per_tool", "max_calls_per_step", "max_cost"] as const;

/** The kinds of rule that can give a reason; a missing reason may come from any. */
const KINDS: { readonly [R in Reason]?: readonly RuleKind[] } = {
  gate_blocked: ["gate"],
  risk_blocked: ["gate"],
  policy_denied: ["policy_deny", "policy_allow", "default_deny"],
  label_gated: ["label_gate"],
  phase_not_allowed: ["phase"],
  transition_not_allowed: ["phase"],
  forbidden_after: ["forbidden_by"],
  prior_tool_missing: ["precondition"],
  prior_output_mismatch: ["precondition"],
  step_count_too_low: ["precondition"],
  session_limit_exceeded: LIMITS,
  loop_detected: ["loop_detection"],
  schema_mismatch: ["schema"],
  input_invariant_failed: ["input_invariant"],
  execution_constraint_failed: ["execution_constraint"],
  argument_invariant_failed: ["argument_invariant"],
  schema_derived_failed: ["derived_invariant"],
  ref_unset: ["ref"],
  ref_mismatch: ["ref"],
  bind_missing: ["capture"],
  requirement_failed: ["requires"],
  requirement_unjudgeable: ["requires"],
  aggregate_exceeded: ["aggregate"],
  aggregate_full: ["aggregate"],
  aggregate_unjudgeable: ["aggregate"],
  envelope_unset: ["envelope"],
  envelope_violated: ["envelope"],
  output_invariant_failed: ["output_invariant"],
  guarantee_failed: ["ensures"],
  output_stage_violated: ["output_stage"],
};

const BY_REASON: ReadonlyMap<string, readonly RuleKind[]> = new Map(Object.entries(KINDS));

/** The kinds of rule that can give this reason; undefined if it may be any. */
export function kindsOf(reason: string | null): readonly RuleKind[] | undefined {
  return BY_REASON.get(reason ?? "");
}
