import { type Block, block } from "../../guard/decide/verdict.js";
import type { Member, WorkflowState } from "../state/workflow-state.js";
import type { WorkflowRules } from "./workflow-rules.js";

/** The refusal of everything after the workflow was killed; null before. */
export function killedWorkflow({ at }: WorkflowRules, { isKilled, killedWhy }: WorkflowState): Block | null {
  return isKilled ? block("workflow_killed", at, "a workflow that has not ended", killedWhy) : null;
}

/** Why a session may do nothing more: no call, no step, no handoff; null if it may. The workflow comes before the session. */
export function admission(rules: WorkflowRules, state: WorkflowState, member: Member): Block | null {
  const killed = killedWorkflow(rules, state);
  if (killed !== null) return killed;
  switch (member.status) {
    case "active":
      return null;
    case "cancel_requested":
      return block("cancel_requested", rules.at, "a session whose parent goes on", "the parent has ended");
    case "closed":
      return block("session_closed", null, "a session that has not ended", "it was closed");
    case "killed":
      return block("session_killed", null, "a session that has not ended", member.killedWhy);
  }
}
