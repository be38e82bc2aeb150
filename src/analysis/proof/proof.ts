/** Those about claims on the roles of a workflow. */
export const ROLE_ARGUMENTS = [
  "no_contract",
  "role_never_starts",
  "never_held",
  "one_session",
  "resource_refuses",
  "session_limit",
] as const;

/**
 * The arguments by which something is called proved; docs/analysis.md describes each under its name. None of them rests on
 * a search with samples.
 */
export const ARGUMENTS = [
  // About tools.
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
  // About rules.
  "always_met",
  "other_limit_lower",
  "window_too_small",
  "forbidding_tool_never_allowed",
  "tool_never_allowed",
  // About claims.
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
  // About tools, rules and claims, by following all sessions.
  "control",
  ...ROLE_ARGUMENTS,
] as const;

export type ArgumentName = (typeof ARGUMENTS)[number];

/** Why something holds for every session, whatever the calls, outputs and labels. */
export interface Proof {
  readonly by: ArgumentName;
  /** The ids of the rules that the argument rests on. */
  readonly rules: readonly string[];
  /** The argument in words, a clause that follows "because". */
  readonly because: string;
}
