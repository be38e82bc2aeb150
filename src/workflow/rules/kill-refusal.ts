import { type Block, block } from "../../guard/decide/verdict.js";
import type { KillScope } from "../state/workflow-event.js";
import type { WorkflowRules } from "./workflow-rules.js";

/** Why a kill is not permitted; null if it is. */
export function killRefusal(
  { at, subtreeKill, onlyOperatorsKill }: WorkflowRules,
  { scope, operator }: { readonly scope: KillScope; readonly operator: string | null },
): Block | null {
  if (scope === "subtree" && !subtreeKill) {
    return block("kill_not_permitted", at, "a scope other than `subtree`", "`subtree_kill` is not true");
  }
  if (scope === "workflow" && onlyOperatorsKill && operator === null) {
    return block("kill_not_permitted", at, "a kill by an operator", "no operator");
  }
  return null;
}
