import type { Reason } from "./reasons.js";

/** Why calls are refused for a reason, and what the agent or its operator can do. */
export interface Advice {
  readonly why: string;
  readonly fix: string;
}

const ARGUMENTS = "Change the arguments: `required` is what the rule asks for, `found` is what the call had.";
const WAIT = "Wait until the unsettled calls are settled, then propose the call again.";
const NEW_APPROVAL = "Propose the call again only if a new approval should be asked for.";
const OTHER_TOOLS = "Use the tools that `hint` or `visibleTools()` names.";
const OUTPUT = "Do not repeat the call: it happened. Fix the tool, or the rule on its output.";
const STORE =
  "Check the store: a proposal that was refused for this was not made, and can be proposed again once the store answers. If the hint speaks of an earlier attempt, that one was sent.";

/** For every reason. */
export const REASON_ADVICE: Readonly<Record<Reason, Advice>> = {
  workflow_killed: {
    why: "A workflow that was killed stays ended: no session of it makes a call, and none starts.",
    fix: "Open a new workflow under another id; `state()` of this one shows what was done.",
  },
  session_killed: {
    why: "A session that was ended stays ended, so that no call is allowed after the decision to stop.",
    fix: "Start a new session; `state()` and the event `killed` show why this one ended.",
  },
  session_closed: {
    why: "A session that was closed has told the workflow that it is done; others may rely on that.",
    fix: "Start another session of the role, or hand off to it.",
  },
  cancel_requested: {
    why: "The session that handed off has ended, and the policy of the handoff is `request_cancel`.",
    fix: "Settle the calls that are running, then close the session.",
  },
  artifact_changed: {
    why: "A session is judged by the contracts that it began with; under others its history could mean something else.",
    fix: "Open the session with its artifact, or move it with `migrateSession(store, sessionId, artifact)`.",
  },
  late_result_unacknowledged: {
    why: "Its effect may have happened although it is not counted, so that limits and sums may be wrong.",
    fix: "Find out what happened, and record it with `guard.acknowledge` or `contracts sessions acknowledge`.",
  },
  session_paused: {
    why: "The approver's decision may change which other calls are allowed.",
    fix: "Wait for the answer to the pending approval, or give it with `approve` or `deny`.",
  },
  unmatched_tool: {
    why: "A tool without a contract has no rules, and having no rules does not mean that everything is allowed.",
    fix: 'Write a contract for the tool, or create the guard with `unmatched: "allow"`.',
  },
  tool_definition_changed: {
    why: "A server can change what a tool says of itself after its contract was reviewed, to mislead the model or to change what the tool does.",
    fix: "Compare the definitions; if the change is wanted, put the new one into tools.json, review the contract and compile the pack again.",
  },
  gate_blocked: { why: "The contract of the tool has `gate: block`.", fix: OTHER_TOOLS },
  risk_blocked: {
    why: "The session blocks all tools with this side effect, and the contract of this one does not open its `gate`.",
    fix: OTHER_TOOLS,
  },
  policy_denied: {
    why: "A deny entry names this principal or cannot be judged for it, or no allow entry for the tool names this principal.",
    fix: "Run the agent for a principal that may call the tool; the agent itself can only continue without it.",
  },
  label_gated: {
    why: "The session has a label, and a label gate denies the tool from then on. Labels are never removed.",
    fix: "Continue without the tool, or do this part in a session without the label.",
  },
  phase_not_allowed: {
    why: "The session is in a phase that is not in the tool's `valid_in_phases`, or an unsettled call may lead it into one.",
    fix: "First call a tool that leads to one of the tool's phases, or settle the call that may leave them; `state().phase` is the current phase.",
  },
  transition_not_allowed: {
    why: "The tool would move the session to a phase that no entry of `transitions` leads to from the current one, or from one that an unsettled call may lead to.",
    fix: "Settle the unsettled calls, first call the tools that lead through the phases in between, or add the transition to session.yaml.",
  },
  forbidden_after: {
    why: "A tool whose `forbids_after` names this one was called, or is being called, in this session.",
    fix: "Continue without the tool; a call that was settled as not executed forbids nothing.",
  },
  prior_tool_missing: {
    why: "The contract has `requires_prior_tool`, and no call of that tool (for the same entity, where the entry has a `resource`) was committed in an earlier step.",
    fix: "Call the tool that `required` names first, settle it, and propose this call in a later step. If it was called, the `hint` says why that call does not count yet.",
  },
  prior_output_mismatch: {
    why: "The latest call of the required tool answered, but its output does not satisfy `with_output`; a later answer replaces an earlier one.",
    fix: "Do not repeat the required call for the same answer. `found` shows which value was wrong: change what that answer depends on, or continue without this call.",
  },
  step_count_too_low: {
    why: "The contract has `requires_step_count`, and too few steps of the session are completed.",
    fix: "Take further steps first; a step is one turn of the model, opened with `beginStep()`.",
  },
  session_limit_exceeded: {
    why: "A limit under `session_limits` is used up: steps, calls, calls of this tool, or cost.",
    fix: "Where the limit is on calls of this tool, continue without it. Otherwise end the session and report what is left to do; `found` shows how much was used.",
  },
  loop_detected: {
    why: "The same tool with the same arguments was proposed so often among the last calls that the agent is probably stuck.",
    fix: "Do something else, or change the arguments; repeating the call will be refused again.",
  },
  call_key_used: {
    why: "A call with this `callKey` was made before; running it again could repeat its effect.",
    fix: "Use the result of the first call; if it is unsettled, find out whether it happened and settle it. A new call needs its own key.",
  },
  call_key_mismatch: {
    why: "The `callKey` belongs to another tool or to other arguments.",
    fix: "Give every call its own key; repeat a key only with exactly the same call.",
  },
  arguments_not_json: {
    why: "Rules judge JSON, and what JSON cannot hold (functions, dates, NaN, undefined members, cycles) cannot be judged.",
    fix: "Pass the arguments as a plain JSON object.",
  },
  schema_mismatch: { why: "The tool's JSON Schema in tools.json does not accept the arguments.", fix: ARGUMENTS },
  input_invariant_failed: { why: "An entry of `assertions.input_invariants` does not hold.", fix: ARGUMENTS },
  execution_constraint_failed: { why: "An entry of `execution_constraints.arguments` does not hold.", fix: ARGUMENTS },
  argument_invariant_failed: { why: "An entry of `argument_value_invariants` does not hold.", fix: ARGUMENTS },
  schema_derived_failed: {
    why: "A keyword of the tool's JSON Schema, such as `maximum` or `pattern`, became a separate rule and does not hold.",
    fix: ARGUMENTS,
  },
  ref_unset: {
    why: "The argument must equal a value that an earlier call binds, and no settled call has: none was made, it is still running, or its output had no such value.",
    fix: "First make the call that binds the value; if it was made, `found` says why the value is not set.",
  },
  ref_mismatch: {
    why: "The argument must equal a value that an earlier call bound, and differs by more than the tolerance.",
    fix: "Use the bound value; `state().bindings` has it.",
  },
  bind_missing: {
    why: "Other rules compare with this argument later, so a call without it is refused.",
    fix: "Pass the argument that `required` names.",
  },
  requirement_failed: {
    why: "An entry of `requires` is false for this call, or would be once unsettled calls have ended.",
    fix: "`because` is the policy's own words and `found` the values that decided: change the arguments, or what those values depend on.",
  },
  requirement_unjudgeable: {
    why: "An entry of `requires` needs a value that is missing, not set yet, of another kind or too large, and a rule that cannot be judged refuses the call.",
    fix: "`found` says which value; the `hint` names the call that would set it. A rule for what may be absent says so: `!has(args.note) || size(args.note) <= 200`.",
  },
  aggregate_exceeded: {
    why: "A sum, count, maximum or minimum over the session would leave its bounds with this call; every call that may have happened counts.",
    fix: "Make the amount smaller, or continue without the call; the `hint` is the reason from the pack.",
  },
  aggregate_full: {
    why: "An aggregate with `per` counts each value of its path apart, up to 10,000 values a session; none is forgotten, because that would count too little.",
    fix: "Use a value that the session has used before, or begin another session.",
  },
  aggregate_unjudgeable: {
    why: "A value that the aggregate counts, or that its bounds depend on, is missing or of another type.",
    fix: "Pass the argument that `found` names, as a number unless different values are counted. If `found` is about a bound value, the call that binds it has to bind another one.",
  },
  envelope_unset: {
    why: "A value is compared with one that an earlier call sets, and no settled call has: none was made, it is still running, or its output had no such value.",
    fix: "First make the call that sets the reference value; if it was made, `found` says why it is not set.",
  },
  envelope_violated: { why: "A value leaves the envelope that an earlier value sets.", fix: ARGUMENTS },
  pending_conflict: {
    why: "The call is allowed for some outcomes of the unsettled calls and refused for others.",
    fix: WAIT,
  },
  workflow_limit_exceeded: {
    why: "A limit under `workflow_limits` is used up: sessions, active sessions, open handoffs, or the steps or the cost of all sessions together.",
    fix: "Close sessions that are done where their number is limited. Otherwise end the workflow and report what is left to do; `found` shows how much was used.",
  },
  resource_unreadable: {
    why: "The argument that names a shared resource is null, a list or an object, so it is unknown which one the call touches.",
    fix: ARGUMENTS,
  },
  resource_conflict: {
    why: "`shared_resources` keeps sessions apart: another one owns the resource, or has a call on it that is not settled.",
    fix: "Try again when that call is settled, or the session that `found` names has ended; or touch another resource. What a crashed session holds is freed by settling its calls.",
  },
  approval_denied: {
    why: "The approver denied the call, or a checkpoint asks for an approval and the guard has no `approver`.",
    fix: NEW_APPROVAL,
  },
  approval_expired: { why: "The deadline of the checkpoint passed before there was an answer.", fix: NEW_APPROVAL },
  approval_mismatch: {
    why: "An approval is valid for one call under one version of the contracts, and for the checkpoints that asked for it; this one is unknown, or for another call or version, or another checkpoint asks by now.",
    fix: NEW_APPROVAL,
  },
  approval_used: {
    why: "An approval is valid for one call, and that call was already made or answered.",
    fix: NEW_APPROVAL,
  },
  approver_is_requester: {
    why: "The two-person rule: the person who asked for an approval is not the one who gives it.",
    fix: "Ask somebody else to approve the call.",
  },
  approver_repeated: {
    why: "The guard needs the approval of several people, and one person counts once.",
    fix: "Ask somebody who has not approved the call yet.",
  },
  approver_unnamed: {
    why: "The guard needs several approvers, or another one than the requester, and compares their names.",
    fix: "Give the name of the approver as `by`.",
  },
  approval_withdrawn: {
    why: "The caller no longer waits for the answer, so an approval would release a call that is never sent.",
    fix: NEW_APPROVAL,
  },
  output_invariant_failed: {
    why: "An entry of `assertions.output_invariants` does not hold for the output.",
    fix: OUTPUT,
  },
  guarantee_failed: {
    why: "An entry of `ensures` is false for the output, or cannot be judged for it.",
    fix: OUTPUT,
  },
  output_stage_violated: { why: "A value of the output leaves an envelope of the session.", fix: OUTPUT },
  output_not_json: { why: "Rules on outputs judge JSON, and this output is not JSON.", fix: OUTPUT },
  unjudgeable_cost: {
    why: "A path or pattern would take more work on these arguments than the guard's budget allows, and a call that is not judged is refused.",
    fix: "Send less at once: fewer items, shorter texts.",
  },
  provider_incompatible: {
    why: "The request matches a pattern under `block_incompatible`: the provider refuses this combination, or ignores part of it.",
    fix: "Change one of the parameters that `found` names before sending the request.",
  },
  response_format_violated: {
    why: "The response calls a tool, or was asked to, and breaks a field of its `response_format_invariants`.",
    fix: "Run none of its calls; ask the model again.",
  },
  response_unreadable: {
    why: "The response has no choice or several, is not finished, or has calls whose arguments are not a JSON object.",
    fix: "Run none of its calls; ask the model again, for one complete response.",
  },
  handoff_required: {
    why: "Some handoff leads to the role, so that its sessions need one: it brings what they work on, and says what becomes of them.",
    fix: "Call `handoff` of a session that may hand off to the role.",
  },
  handoff_not_declared: {
    why: "`handoffs` lists which role may hand off to which, and this pair is not there.",
    fix: "Hand off to a role that workflow.yaml names, or add the handoff.",
  },
  handoff_artifact_missing: {
    why: "The handoff has `requires_artifacts`, and without them the new session would have to guess.",
    fix: "Pass every artifact that `required` names; null counts as present.",
  },
  handoff_artifact_invalid: {
    why: "Artifacts are stored with the session that gets them, as JSON of at most 1 MiB together.",
    fix: "Pass plain JSON; for what is larger, pass where it is.",
  },
  session_exists: {
    why: "An id names one session of the store for ever, in whatever workflow.",
    fix: "Choose another `sessionId`, or get the session of this workflow with `attach`.",
  },
  kill_not_permitted: {
    why: "The workflow has `workflow_kill: operator_only`, or no `subtree_kill: true`.",
    fix: "Kill single sessions, or the whole workflow with the `operator` who has the authority.",
  },
  store_unavailable: { why: "A call that cannot be recorded cannot be counted, so it is refused.", fix: STORE },
  store_contended: {
    why: "Other writers kept changing the session while this call was being recorded.",
    fix: STORE,
  },
  guard_fault: {
    why: "Something failed while the call was judged, and a call that is not judged is refused.",
    fix: "Check `found` and the store; if the cause is not your own store or clock, report a bug.",
  },
};
