import type { Block } from "../../guard/decide/verdict.js";
import type { WorkflowState } from "../state/workflow-state.js";
import { workLimits } from "./limits.js";
import type { WorkflowRules } from "./workflow-rules.js";

/** Why no further step may begin in an admitted session; null if one may. */
export function stepRefusal(rules: WorkflowRules, state: WorkflowState): Block | null {
  return workLimits(rules, state, true);
}
