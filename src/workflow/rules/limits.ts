import { compareSum, sumNumber } from "../../base/exact-sum.js";
import { type Block, block } from "../../guard/decide/verdict.js";
import type { WorkflowState } from "../state/workflow-state.js";
import type { WorkflowRules } from "./workflow-rules.js";

function limit({ at }: WorkflowRules, required: string, found: string): Block {
  return block("workflow_limit_exceeded", at, required, found);
}

/** Refuses a session beyond a limit of the workflow. */
export function sessionLimits(rules: WorkflowRules, state: WorkflowState, isHandoff: boolean): Block | null {
  const { max_sessions: ever, max_active_sessions: active, max_open_handoffs: open } = rules.limits;
  if (ever !== null && state.sessions.size >= ever) {
    return limit(rules, `at most ${ever} sessions`, `${state.sessions.size} have started`);
  }
  if (active !== null && state.active >= active) {
    return limit(rules, `at most ${active} active sessions`, `${state.active} are active`);
  }
  if (isHandoff && open !== null && state.openHandoffs >= open) {
    return limit(rules, `at most ${open} open handoffs`, `${state.openHandoffs} are open`);
  }
  return null;
}

/** Refuses what happens in a session once the workflow has reached a limit; only what begins a step needs one that is left. */
export function workLimits(rules: WorkflowRules, { steps, cost }: WorkflowState, beginsStep: boolean): Block | null {
  const { max_total_steps: most, max_total_cost: cap } = rules.limits;
  if (beginsStep && most !== null && steps >= most) {
    return limit(rules, `at most ${most} steps of all sessions`, `${steps} so far`);
  }
  if (cap !== null && compareSum(cost, cap) >= 0) {
    return limit(rules, `a cost of all sessions below ${cap}`, String(sumNumber(cost)));
  }
  return null;
}
