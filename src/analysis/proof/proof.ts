/**
 * The arguments by which something is called proved; each is described under its name in docs/analysis.md. None of them
 * rests on a search: a search only shows what it met.
 */
export const ARGUMENTS = [
  // Of tools.
  "gate",
  "policy_denies_all",
  "limit_of_zero",
  "loop_at_once",
  "count_out_of_bounds",
  "no_value",
  "phase_out_of_reach",
  "prior_never_allowed",
  "slot_never_set",
  "reference_never_set",
  // Of rules.
  "always_met",
  "other_limit_lower",
  "window_too_small",
  "forbidding_tool_never_allowed",
  "tool_never_allowed",
  // Of claims.
  "never_allowed",
  "precondition",
  "needed_first",
  "forbids_after",
  "phase_left",
  "label_gate",
  "call_limit",
  "count_limit",
  "forbids_itself",
  "checkpoint",
] as const;

export type ArgumentName = (typeof ARGUMENTS)[number];

/** Why something holds of every session, whatever is called, answered and labelled. */
export interface Proof {
  readonly by: ArgumentName;
  /** The ids of the rules that it rests on. */
  readonly rules: readonly string[];
  /** The same as a clause that follows "because". */
  readonly because: string;
}
