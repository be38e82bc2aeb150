import type { Reason } from "../../artifact/reasons.js";
import { unreachable } from "../../base/invariant.js";
import { joined } from "../../base/wording.js";
import { SMALLER_PRINCIPAL } from "../checks/policy.js";
import type { NeededCall } from "../expression/needed-call.js";
import type { Program, Tool } from "../program/program.js";
import type { Session } from "../session/session.js";
import { explainAll } from "./decide.js";
import { type Block, NO_APPROVER, OTHER_ARTIFACT } from "./verdict.js";
import { callableNames, callableTools, type Outlook } from "./visible-tools.js";

const MOST_NAMED = 10;

/** Also the hint of the refusal that ends the session. */
export const SESSION_OVER = "the session is over; no further call will be allowed";

/** Of more unsettled calls than this one is taken to be running: looking at all of them would take too long. */
const MOST_LOOKED_AT = 64;

/** A call whose outcome is unknown does not end by waiting: somebody has to find out what happened. */
function settledFirst({ unsettled }: Session): string {
  let left = MOST_LOOKED_AT;
  for (let call = unsettled.last; call !== null; call = call.before)
    if (call.status === "running" || left-- === 0) return "wait until the unsettled calls have ended, then try again";
  return "the operator has to settle the calls whose outcome is unknown; try again then";
}

function callable(program: Program, session: Session, outlook: Outlook): string {
  const names = callableNames(program, session, outlook);
  if (names.length === 0) return "no tool is callable now";
  let text = `callable now: ${names[0]}`;
  for (let at = 1; at < names.length && at < MOST_NAMED; at++) text += `, ${names[at]}`;
  return names.length > MOST_NAMED ? `${text} and ${names.length - MOST_NAMED} more` : text;
}

function named(tools: readonly string[]): string {
  return joined(tools.slice(0, MOST_NAMED), (tool) => `\`${tool}\``, " or ");
}

/** What refuses a call by the session alone; what only some of its arguments are known for may need others. */
const OF_SESSION: ReadonlySet<Reason> = new Set<Reason>([
  "loop_detected",
  "aggregate_exceeded",
  "aggregate_full",
  "requirement_failed",
]);

/** Why a needed call would be refused if it were made now as it is named; null if nothing is known that would. */
function whyRefused(program: Program, session: Session, { tool, args }: NeededCall, outlook: Outlook): Reason | null {
  const proposal = args === null ? null : outlook.proposed(tool, args);
  if (proposal === null) return null;
  const refusal = explainAll(program, session, proposal).find(({ reason }) => OF_SESSION.has(reason));
  return refusal?.reason ?? null;
}

/** The calls to make first, and why they are refused, as far as that is known. */
function neededFirst(program: Program, session: Session, refusal: Block, outlook: Outlook): string {
  const { reason, required, found, after, calls = [] } = refusal;
  const isOfValue = reason === "ref_unset" || reason === "envelope_unset" || reason === "envelope_violated";
  const call = isOfValue ? `a committed call of ${named(after)} (${found})` : required;
  const needed = `needed first: ${refusal.needed ?? call}`;
  const tools: Tool[] = [];
  for (const name of after) {
    const tool = program.tools.get(name);
    if (tool !== undefined) tools.push(tool);
  }
  const { visible, hidden } = callableTools(program, session, outlook, tools);
  const refused = calls.flatMap((call) => {
    const why = visible.includes(call.tool) ? whyRefused(program, session, call, outlook) : null;
    return why === null ? [] : [`${call.text} (${why})`];
  });
  if (refused.length === 0 && (hidden.length === 0 || visible.length > 0)) return needed;
  const reasons = hidden.map(({ tool, reason: why }) => `\`${tool}\` (${why})`);
  return `${needed}; refused now: ${[...reasons, ...refused].slice(0, MOST_NAMED).join(", ")}`;
}

/** Steps that a hint asks for are of no use where the session has none left; unsettled calls may still free some. */
function noStepLeft({ pack }: Program, { openSteps, ownSteps, sureOwnSteps }: Session): string {
  const isUsedUp = pack.unmatched_checks.some(
    (check) => check.kind === "max_steps" && openSteps + ownSteps >= check.max && ownSteps === sureOwnSteps,
  );
  return isUsedUp ? "; refused now: a further step (session_limit_exceeded)" : "";
}

/**
 * What an agent can do about a refusal: which tools are callable now, or what must happen first. The words of the policy follow;
 * some rules say with them what they require.
 */
export function hintFor(program: Program, session: Session, refusal: Block, outlook: Outlook): string {
  if (session.isKilled) return SESSION_OVER;
  const remedy = remedyFor(program, session, refusal, outlook);
  const { because } = refusal;
  return because === undefined || remedy === because || remedy.includes(because)
    ? remedy
    : `${remedy}; because: ${because}`;
}

// The most common cases come first: they are compared one after the other.

function remedyFor(program: Program, session: Session, refusal: Block, outlook: Outlook): string {
  switch (refusal.remedy) {
    case null:
      return hintByReason(program, session, refusal, outlook);
    case "variable":
      return "the operator has to set the variable; other arguments do not help";
    case "settlement":
      return settledFirst(session);
    case "next_step":
      return `the call that was made counts from the next step on; try again then${noStepLeft(program, session)}`;
    case "further_step":
      return `begin the next step, and try again then${noStepLeft(program, session)}`;
    case "other_output":
      return `this call stays refused as long as ${refusal.found}; asking again for the same answer does not help`;
    case "arguments":
      return `change the arguments: ${refusal.required}`;
    default:
      return unreachable(refusal.remedy);
  }
}

function hintByReason(program: Program, session: Session, refusal: Block, outlook: Outlook): string {
  switch (refusal.reason) {
    case "input_invariant_failed":
    case "execution_constraint_failed":
    case "argument_invariant_failed":
    case "schema_mismatch":
    case "schema_derived_failed":
    case "arguments_not_json":
    case "ref_mismatch":
    case "bind_missing":
    case "resource_unreadable":
      return `change the arguments: ${refusal.required}`;
    case "phase_not_allowed":
    case "transition_not_allowed":
      return callable(program, session, outlook);
    case "aggregate_exceeded":
    case "aggregate_unjudgeable":
      return refusal.required;
    case "session_killed":
    case "session_closed":
    case "workflow_killed":
      return SESSION_OVER;
    case "cancel_requested":
      return "no further call will be allowed; finish, and close the session";
    case "resource_conflict":
      return `try again when session \`${refusal.found}\` is done with it, or use another resource`;
    case "workflow_limit_exceeded":
      return "the sessions of the workflow have used it up together; report what is left to do";
    case "session_paused":
      return "wait until the pending approval is answered";
    case "aggregate_full":
      return `use a value that was used before; needed: ${refusal.required}`;
    case "step_count_too_low":
      return `needed first: ${refusal.required}${noStepLeft(program, session)}`;
    case "prior_tool_missing":
    case "envelope_unset":
    case "ref_unset":
      return neededFirst(program, session, refusal, outlook);
    case "requirement_unjudgeable":
      return refusal.after.length > 0
        ? neededFirst(program, session, refusal, outlook)
        : callable(program, session, outlook);
    case "envelope_violated":
      return refusal.after.length > 0
        ? neededFirst(program, session, refusal, outlook)
        : `change the arguments: ${refusal.required}`;
    case "store_unavailable":
    case "store_contended":
      return "nothing was decided; try again once the store answers";
    case "guard_fault":
      return "nothing was decided; report the fault if it happens again";
    case "artifact_changed":
      return OTHER_ARTIFACT;
    case "late_result_unacknowledged":
      return "the operator has to acknowledge the late result; until then every call is refused";
    case "approver_is_requester":
    case "approver_repeated":
    case "approver_unnamed":
      return `the approval is still pending; needed: ${refusal.required}`;
    case "call_key_used":
      return "the call was made before; use another key for another call";
    case "call_key_mismatch":
      return "use another key for another call";
    case "pending_conflict":
      return settledFirst(session);
    case "approval_denied":
      return refusal.found === NO_APPROVER
        ? "the operator has to configure an approver; until then the call stays refused"
        : "do not repeat the call without a new approval";
    case "approval_expired":
    case "approval_mismatch":
    case "approval_used":
    case "approval_withdrawn":
      return "do not repeat the call without a new approval";
    case "unjudgeable_cost":
      return refusal.required === SMALLER_PRINCIPAL
        ? `the operator has to give ${SMALLER_PRINCIPAL}; other arguments do not help`
        : `change the arguments: ${refusal.required}`;
    default:
      return callable(program, session, outlook);
  }
}
