import type { Reason } from "./reasons.js";

/** Why calls are refused for a reason, and what an agent, or whoever runs it, can do. */
export interface Advice {
  readonly why: string;
  readonly fix: string;
}

const ARGUMENTS = "Change the arguments: `required` says what was asked for, `found` what was there.";
const WAIT = "Wait until the open calls are settled, then propose the call again.";
const NEW_APPROVAL = "Propose the call again only if a new approval is to be asked for.";
const OTHER_TOOLS = "Go on with the tools that `hint` or `visibleTools()` names.";
const OUTPUT =
  "Do not repeat the call for its own sake: it happened. Have the tool, or the rule on its output, put right.";
const STORE = "Look at the store: the call was not made, and can be proposed again once the store answers.";

/** For every reason. */
export const REASON_ADVICE: Readonly<Record<Reason, Advice>> = {
  session_killed: {
    why: "A session that was ended stays ended, so that nothing slips through after the decision to stop.",
    fix: "Start a new session; `state()` and the event `killed` tell why this one ended.",
  },
  session_paused: {
    why: "What a person decides may change what the other calls may do.",
    fix: "Wait for the answer to the pending approval, or give it with `approve` or `deny`.",
  },
  unmatched_tool: {
    why: "A tool without a contract has no rules, and no rules is not the same as everything allowed.",
    fix: 'Write a contract for the tool, or make the guard with `unmatched: "allow"`.',
  },
  gate_blocked: { why: "The contract of the tool has `gate: block`.", fix: OTHER_TOOLS },
  risk_blocked: {
    why: "The session blocks all tools with this side effect, and the contract of this one does not open its `gate`.",
    fix: OTHER_TOOLS,
  },
  policy_denied: {
    why: "A deny entry names this principal or cannot be judged for it, or no allow entry that covers the tool names it.",
    fix: "Run the agent for a principal that may call the tool; the agent itself can only do something else.",
  },
  label_gated: {
    why: "The session carries a label, and a label gate denies the tool from then on. Labels are never removed.",
    fix: "Go on without the tool, or do this part in a session without the label.",
  },
  phase_not_allowed: {
    why: "The session is in a phase that is not in the tool's `valid_in_phases`.",
    fix: "First call a tool that leads to one of the tool's phases; `state().phase` is where the session is.",
  },
  transition_not_allowed: {
    why: "The tool would take the session to a phase that the session's `transitions` do not lead to from here.",
    fix: "First call the tools that lead through the phases between, or add the transition to session.yaml.",
  },
  forbidden_after: {
    why: "A tool whose `forbids_after` names this one was called, or is being called, in this session.",
    fix: "Go on without the tool; a call that was not executed forbids nothing once that is settled.",
  },
  prior_tool_missing: {
    why: "The contract has `requires_prior_tool`, and no call of that tool (for the same entity, where `resource` says so) was committed in an earlier step.",
    fix: "Call the tool that `required` names first, settle it, and propose this call in a later step.",
  },
  prior_output_mismatch: {
    why: "The latest call of the required tool answered, but its output does not satisfy `with_output`; a later answer replaces an earlier one.",
    fix: "Do not repeat the required call for the same answer. `found` says which value was wrong: change what that answer depends on, or do without this call.",
  },
  step_count_too_low: {
    why: "The contract has `requires_step_count`, and too few steps of the session are completed.",
    fix: "Take further steps first; a step is one turn of the model, opened with `beginStep()`.",
  },
  session_limit_exceeded: {
    why: "A limit under `session_limits` is used up: steps, calls, calls of this tool, or cost.",
    fix: "End the session and report what is left to do; `found` says how much was used.",
  },
  loop_detected: {
    why: "The same tool with the same arguments was proposed so often among the last calls that the agent seems to be stuck.",
    fix: "Do something else, or change the arguments; repeating the call will be refused again.",
  },
  call_key_used: {
    why: "A call with this `callKey` was made and settled before; running it again could have its effect twice.",
    fix: "Use the result of the first call. A new call needs a key of its own.",
  },
  call_key_mismatch: {
    why: "The `callKey` belongs to another tool or to other arguments.",
    fix: "Give every call a key of its own; repeat a key only with the very same call.",
  },
  arguments_not_json: {
    why: "Rules judge JSON, and what JSON cannot hold (functions, dates, NaN, undefined members, cycles) cannot be judged.",
    fix: "Give the arguments as a plain JSON object.",
  },
  schema_mismatch: { why: "The tool's JSON Schema in tools.json does not let the arguments through.", fix: ARGUMENTS },
  input_invariant_failed: { why: "An entry of `assertions.input_invariants` does not hold.", fix: ARGUMENTS },
  execution_constraint_failed: { why: "An entry of `execution_constraints.arguments` does not hold.", fix: ARGUMENTS },
  argument_invariant_failed: { why: "An entry of `argument_value_invariants` does not hold.", fix: ARGUMENTS },
  schema_derived_failed: {
    why: "A keyword of the tool's JSON Schema, such as `maximum` or `pattern`, became a rule of its own and does not hold.",
    fix: ARGUMENTS,
  },
  ref_unset: {
    why: "The argument must equal a value that an earlier call binds, and no call has bound it yet.",
    fix: "First make the call that binds the value.",
  },
  ref_mismatch: {
    why: "The argument must equal a value that an earlier call bound, and differs by more than the tolerance.",
    fix: "Use the bound value; `state().bindings` has it.",
  },
  bind_missing: {
    why: "Other rules rely on this argument, so a call without it cannot be remembered.",
    fix: "Give the argument that `required` names.",
  },
  aggregate_exceeded: {
    why: "A sum, count, maximum or minimum over the session would leave its bounds with this call, counted with all calls that may have happened.",
    fix: "Make the amount smaller, or go on without the call; the `hint` is the reason that the pack gives.",
  },
  aggregate_unjudgeable: {
    why: "A value that the aggregate counts, or that its bounds depend on, is missing or of another type.",
    fix: "Give the argument that `found` names, as a number.",
  },
  envelope_unset: {
    why: "A value must keep to one that an earlier call sets, and no call has set it yet.",
    fix: "First make the call that sets the reference value.",
  },
  envelope_violated: { why: "A value leaves the envelope that an earlier value sets.", fix: ARGUMENTS },
  pending_conflict: {
    why: "The call is allowed for some ends of the calls that are still open and refused for others.",
    fix: WAIT,
  },
  approval_denied: {
    why: "A person said no, or a checkpoint asks for an approval and the guard has no `approver`.",
    fix: NEW_APPROVAL,
  },
  approval_expired: { why: "The deadline of the checkpoint passed before there was an answer.", fix: NEW_APPROVAL },
  approval_mismatch: {
    why: "An approval holds for one call under one version of the contracts, and this one is unknown or for another.",
    fix: NEW_APPROVAL,
  },
  approval_used: {
    why: "An approval is good for one call, and that was made or answered already.",
    fix: NEW_APPROVAL,
  },
  approval_withdrawn: {
    why: "Whoever waited for the answer gave up, so an answer would release a call that nobody sends.",
    fix: NEW_APPROVAL,
  },
  output_invariant_failed: {
    why: "An entry of `assertions.output_invariants` does not hold of the output.",
    fix: OUTPUT,
  },
  output_stage_violated: { why: "A value of the output leaves an envelope of the session.", fix: OUTPUT },
  output_not_json: { why: "Rules on outputs judge JSON, and this output is none.", fix: OUTPUT },
  unjudgeable_cost: {
    why: "A path or pattern would have to look at more than the guard's budget on these arguments, and what is not judged does not pass.",
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
    why: "The response has none or several choices, is not finished, or has calls whose arguments are no JSON object.",
    fix: "Run none of its calls; ask the model again, for one whole response.",
  },
  store_unavailable: { why: "What cannot be recorded cannot be counted, so it does not run.", fix: STORE },
  store_contended: {
    why: "Others changed the session again and again while this call was being recorded.",
    fix: STORE,
  },
  guard_fault: {
    why: "Something failed while the call was judged, and what is not judged does not pass.",
    fix: "Look at `found` and at the store; if it is neither a store nor a clock of yours, report it.",
  },
};
