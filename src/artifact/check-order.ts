/** The one order in which the checks of a call run; the first that fails names the verdict's reason. */
export const CHECK_ORDER = [
  // Admission: may this tool be called at all, by this principal, under these labels?
  "gate",
  "policy",
  "label_gate",
  // Ordering: may it be called now?
  "phase",
  "forbidden_by",
  "precondition",
  // Limits of the session.
  "max_steps",
  "max_tool_calls",
  "max_calls_per_tool",
  "max_calls_per_step",
  "max_cost",
  "loop_detection",
  // Arguments: manual invariants come before derived ones, then references to bound values, then expressions.
  "schema",
  "input_invariant",
  "execution_constraint",
  "argument_invariant",
  "derived_invariant",
  "ref",
  "capture",
  "requires",
  // Session values.
  "aggregate",
  "envelope",
  // Approval comes last: no approver is asked about a call that would be refused anyway.
  "checkpoint",
] as const;

/** The kind of a compiled check. */
export type CheckKind = (typeof CHECK_ORDER)[number];
