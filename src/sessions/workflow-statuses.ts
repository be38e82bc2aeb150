import { isStoreUnavailable } from "../guard/session/store-errors.js";
import type { SessionStatus, WorkflowState } from "../workflow/state/workflow-state.js";
import { OPERATOR } from "./operated-session.js";
import type { ListedSession, StoreAccess } from "./store-access.js";

async function stateOf(access: StoreAccess, artifact: string, workflow: string): Promise<WorkflowState> {
  // Loaded when it is needed: most stores have no workflow.
  const { openCoordinator } = await import("../workflow/log/open-coordinator.js");
  const { store, clock, sealing, times } = access;
  const parts = { store, guardId: OPERATOR, clock, sealing, storeTimeoutMs: times.storeTimeoutMs };
  const { coordinator } = await openCoordinator(await access.artifact(artifact), workflow, parts);
  return coordinator.state;
}

/** Where sessions stand in their workflows; null for one without. Each workflow is read once. */
export function workflowStatuses(access: StoreAccess): (listed: ListedSession) => Promise<SessionStatus | null> {
  const states = new Map<string, Promise<WorkflowState>>();
  return async ({ id, head: { workflow, artifact } }) => {
    if (workflow === null) return null;
    const state = states.get(workflow) ?? stateOf(access, artifact, workflow);
    states.set(workflow, state);
    try {
      return (await state).sessions.get(id)?.status ?? null;
    } catch (cause) {
      // Sealed: then the head is all that can be shown.
      if (isStoreUnavailable(cause) && cause.cause !== undefined) return null;
      throw cause;
    }
  };
}
