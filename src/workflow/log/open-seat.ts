import type { SessionIdentity } from "../../guard/durable/session-form.js";
import type { ChainParts } from "../../guard/durable/stream-form.js";
import { openCoordinator } from "./open-coordinator.js";
import { WorkflowSeat } from "./workflow-seat.js";

/** The place of a session in its workflow, for somebody who opens that session from outside; null if it has none. */
export async function openSeat(
  { program, sessionId, role: name, workflow }: SessionIdentity,
  parts: ChainParts & { readonly storeTimeoutMs: number },
): Promise<WorkflowSeat | null> {
  if (workflow === null) return null;
  const { coordinator, rules } = await openCoordinator(program.artifact, workflow, parts);
  const role = rules.roles.get(name ?? "");
  if (role === undefined || !coordinator.state.sessions.has(sessionId)) return null;
  return new WorkflowSeat({ coordinator, rules, role, program, sessionId });
}
