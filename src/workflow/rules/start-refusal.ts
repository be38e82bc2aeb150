import { type Block, block } from "../../guard/decide/verdict.js";
import type { WorkflowState } from "../state/workflow-state.js";
import { killedWorkflow } from "./admission.js";
import { sessionLimits } from "./limits.js";
import type { RoleRules, WorkflowRules } from "./workflow-rules.js";

/** Why no root session of a role may start; null if one may. */
export function startRefusal(rules: WorkflowRules, state: WorkflowState, role: RoleRules): Block | null {
  return (
    killedWorkflow(rules, state) ??
    (role.needsHandoff
      ? block("handoff_required", role.at, `a handoff to \`${role.name}\``, "a start without one")
      : null) ??
    sessionLimits(rules, state, false)
  );
}
