import type { Reason } from "../../src/artifact/reasons.js";
import { SETTLEMENT_REFUSALS } from "../../src/artifact/run-time-codes.js";
import type { Ending, SessionEvent } from "../../src/guard/session/event.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import type { ApprovalEnd } from "../../src/guard/session/pending-approval.js";
import { REACTIONS } from "./tool-server.js";

/** A list of all members of a union: one that is missing does not compile. */
function all<T extends string>(members: Readonly<Record<T, true>>): readonly T[] {
  return Object.keys(members) as T[];
}

const EVENTS = all<Exclude<SessionEvent["kind"], "settled" | "approval_ended">>({
  reserved: true,
  unanswered: true,
  blocked: true,
  late_result: true,
  late_result_acknowledged: true,
  step_begun: true,
  cost_recorded: true,
  label_added: true,
  killed: true,
  approval_requested: true,
  approval_given: true,
});

const ENDINGS = all<Ending>({ committed: true, violated: true, released: true, indeterminate: true });

const ENDS = all<ApprovalEnd>({
  approved: true,
  granted: true,
  denied: true,
  expired: true,
  resumed: true,
  withdrawn: true,
});

const OUTCOMES = all<Outcome["kind"]>({
  result: true,
  error: true,
  timeout: true,
  happened: true,
  did_not_happen: true,
});

/** Refusals that depend on one call, its principal or a model's message alone: no fault of a store changes them. */
const OUTSIDE = [
  "artifact_changed",
  "gate_blocked",
  "risk_blocked",
  "policy_denied",
  "transition_not_allowed",
  "step_count_too_low",
  "input_invariant_failed",
  "execution_constraint_failed",
  "argument_invariant_failed",
  "bind_missing",
  "ref_unset",
  "envelope_unset",
  // Only a bug leads to it, or that somebody else settled a call just before it was sent.
  "guard_fault",
  "output_stage_violated",
  // Language 1.1 has simulations of its own worlds: see test/property/expression-worlds.test.ts and test/differential.
  "requirement_failed",
  "requirement_unjudgeable",
  "guarantee_failed",
  "aggregate_full",
  "unjudgeable_cost",
  "provider_incompatible",
  "response_format_violated",
  "response_unreadable",
  // These sessions are alone.
  "workflow_killed",
  "session_closed",
  "cancel_requested",
  "workflow_limit_exceeded",
  "resource_unreadable",
  "resource_conflict",
  "handoff_required",
  "handoff_not_declared",
  "handoff_artifact_missing",
  "handoff_artifact_invalid",
  "session_exists",
  "kill_not_permitted",
  // Of a proxy between a client and its tools.
  "tool_definition_changed",
] as const satisfies readonly Reason[];

/** All others: of a new one somebody has to say where it belongs. */
const REFUSALS = all<Exclude<Reason, (typeof OUTSIDE)[number]>>({
  session_killed: true,
  late_result_unacknowledged: true,
  session_paused: true,
  unmatched_tool: true,
  label_gated: true,
  phase_not_allowed: true,
  forbidden_after: true,
  prior_tool_missing: true,
  prior_output_mismatch: true,
  session_limit_exceeded: true,
  loop_detected: true,
  call_key_used: true,
  call_key_mismatch: true,
  arguments_not_json: true,
  schema_mismatch: true,
  schema_derived_failed: true,
  ref_mismatch: true,
  aggregate_exceeded: true,
  aggregate_unjudgeable: true,
  envelope_violated: true,
  pending_conflict: true,
  approval_denied: true,
  approval_expired: true,
  approval_mismatch: true,
  approval_used: true,
  approver_is_requester: true,
  approver_repeated: true,
  approver_unnamed: true,
  approval_withdrawn: true,
  output_invariant_failed: true,
  output_not_json: true,
  store_unavailable: true,
  store_contended: true,
});

const OPERATIONS = [
  "createGuard",
  "propose",
  "propose with a key",
  "wrap",
  "call of wrap",
  "call of wrap with a signal",
  ...OUTCOMES.map((kind) => `settle ${kind}`),
  "settle what was not answered",
  "unsettled",
  "resolver",
  "acknowledge",
  "approve",
  "deny",
  "resume",
  "explain",
  "checkRequest",
  "checkResponse",
  "visibleTools",
  "state",
  "beginStep",
  "recordCost",
  "addLabel",
  "kill",
  "snapshot",
];

const FAULTS = [
  "a request is lost (silence)",
  "a request is lost (error)",
  "the answer of an append is lost (silence)",
  "the answer of an append is lost (error)",
  "an answer is lost (silence)",
  "an answer is lost (error)",
  "a late append",
  "a late request",
  "a late answer",
  "a repeated append",
  "a repeated request",
  "a repeated answer",
  "word of an append is lost",
  "the store is cut off",
  "the store is read-only",
  "the store reports conflicts that are none",
  "a process crashes",
  "a process is restarted",
  "a process is frozen",
  "a clock jumps ahead",
  "a clock jumps back",
  "a settlement that may be wrong",
];

const TOOL = [...REACTIONS, "the request is lost", "never sent", "the answer is lost", "a late request"];

function named(kind: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${kind} ${name}`);
}

/** What must happen at least once, so that a run that finds nothing means something. */
export const EXPECTED: readonly string[] = [
  ...named("operation", OPERATIONS),
  ...named("event", [
    ...EVENTS,
    ...ENDINGS.map((ending) => `settled ${ending}`),
    ...ENDS.map((end) => `approval_ended ${end}`),
  ]),
  ...named("fault", FAULTS),
  ...named("tool", TOOL),
  ...named("settlement", ["accepted", "violated", ...Object.keys(SETTLEMENT_REFUSALS)]),
  ...named("verdict", ["allow", "allow again", "approval_required", "approval_required again", "recorded", "would"]),
  ...named("error", ["StoreUnavailable", "ExecutedButNotRecorded", "AbortError", "NotExecuted"]),
  ...named("mode", ["enforce", "shadow", "log-only"]),
  ...named("heard", ["settled", "killed", "warning"]),
  ...named("reason", REFUSALS),
];
