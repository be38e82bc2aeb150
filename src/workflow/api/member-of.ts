import type { Member, WorkflowState } from "../state/workflow-state.js";

/** A session of the workflow. */
export function memberOf({ sessions }: WorkflowState, id: unknown): Member {
  const member = typeof id === "string" ? sessions.get(id) : undefined;
  if (member === undefined) throw new TypeError("the workflow has no such session");
  return member;
}
