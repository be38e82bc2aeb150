import type { WorkflowState } from "./reference/model.js";

/** What is compared of a state, in one order; keys are texts, because 17 and "17" are one resource. */
export function plainState({ killed, sessions, openHandoffs, totals, resources }: WorkflowState) {
  const held = resources.map(({ alias, key, mode, session }) => `${alias} ${String(key)} ${mode} ${session}`);
  return {
    killed,
    sessions: sessions
      .map(({ id, role, parent, status, steps, cost }) => ({ id, role, parent, status, steps, cost }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    statuses: Object.fromEntries(sessions.map(({ id, status }) => [id, status])),
    openHandoffs,
    totals: { sessions: totals.sessions, active: totals.active, steps: totals.steps, cost: totals.cost },
    resources: held.sort(),
  };
}
