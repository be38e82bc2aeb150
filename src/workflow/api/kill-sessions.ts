import type { Block } from "../../guard/decide/verdict.js";
import type { OpenCoordinator } from "../log/open-coordinator.js";
import { URGENT } from "../log/persistence.js";
import { killRefusal } from "../rules/kill-refusal.js";
import { hasEnded, type WorkflowState } from "../state/workflow-state.js";
import type { CheckedKill } from "./checked-options.js";
import { memberOf } from "./member-of.js";

/** Whether a kill would change nothing. */
function isDone(state: WorkflowState, { scope, session }: CheckedKill): boolean {
  if (scope === "workflow") return state.isKilled;
  return scope === "session" && hasEnded(memberOf(state, session));
}

/** Ends sessions and records it. A kill that is not permitted is recorded too; the result says why it is not. */
export function killSessions({ coordinator, rules }: OpenCoordinator, kill: CheckedKill): Promise<Block | null> {
  return coordinator.transact(async (state) => {
    if (kill.session !== null) memberOf(state, kill.session);
    const result = killRefusal(rules, kill);
    if (result !== null) return { events: [{ kind: "kill_refused", ...kill } as const], result };
    return { events: isDone(state, kill) ? [] : [{ kind: "killed", ...kill } as const], result };
  }, URGENT);
}
