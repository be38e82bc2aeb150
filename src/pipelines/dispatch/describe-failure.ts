import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { WorkflowRefused } from "../../workflow/api/workflow-refused.js";
import { ProxyError } from "../proxy/proxy-error.js";

/** A refusal in a form that a model can act on: the reason, the rule, what is required, and a hint. */
function describeRefusal({ verdict }: ContractViolation | WorkflowRefused): object {
  const { reason, message, rule, required, found, hint } = verdict;
  const at = rule === undefined ? undefined : `${rule.file}:${rule.line}`;
  return { error: "refused_by_contract", reason, message, rule: at, required, found, hint };
}

/**
 * The answer for a model to a tool call that failed, as a JSON text: a refusal with its reason and a hint, a failure of the tool
 * with its status and code. Of other errors only the name is shown.
 */
export function describeFailure(error: unknown): string {
  if (error instanceof ContractViolation || error instanceof WorkflowRefused)
    return JSON.stringify(describeRefusal(error));
  if (error instanceof ProxyError) {
    const { status, code, source, message } = error;
    return JSON.stringify({ error: "tool_failed", status, code, source, message });
  }
  return JSON.stringify({ error: "tool_failed", name: error instanceof Error ? error.name : typeof error });
}
