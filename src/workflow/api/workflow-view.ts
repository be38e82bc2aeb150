import { sumNumber } from "../../base/exact-sum.js";
import type { WorkflowRules } from "../rules/workflow-rules.js";
import { holders } from "../state/shared-resource.js";
import type { WorkflowState } from "../state/workflow-state.js";
import type { HeldResource, WorkflowView } from "./workflow-api.js";

function heldResources({ modes }: WorkflowRules, { resources }: WorkflowState): readonly HeldResource[] {
  return Array.from(resources.values()).flatMap((resource) => {
    const { alias, key } = resource;
    const mode = modes.get(alias);
    return mode === undefined ? [] : holders(mode, resource).map((session) => ({ alias, key, mode, session }));
  });
}

/** A copy of the state of a workflow, for people and programs. */
export function workflowView(rules: WorkflowRules, state: WorkflowState): WorkflowView {
  const { isKilled, sessions, active, openHandoffs, steps, cost } = state;
  return {
    killed: isKilled,
    sessions: Array.from(sessions.values(), ({ id, role, parent, status, steps: own, cost: spent }) => ({
      ...{ id, role, parent, status, steps: own },
      cost: sumNumber(spent),
    })),
    openHandoffs,
    totals: { sessions: sessions.size, active, steps, cost: sumNumber(cost) },
    resources: heldResources(rules, state),
  };
}
