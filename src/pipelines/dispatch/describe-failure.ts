import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { ProxyError } from "../proxy/proxy-error.js";

/** A refusal in a form that a model can act on: what was refused, by which rule, what is needed, what to do. */
function describeViolation({ verdict }: ContractViolation): object {
  const { reason, message, rule, required, found, hint } = verdict;
  const at = rule === undefined ? undefined : `${rule.file}:${rule.line}`;
  return { error: "refused_by_contract", reason, message, rule: at, required, found, hint };
}

/**
 * What a model should read as the answer of a tool whose call failed, as a JSON text: a refusal with its reason and what
 * can be done, a failure of the tool with its status and code. Of other errors nothing but their name is told.
 */
export function describeFailure(error: unknown): string {
  if (error instanceof ContractViolation) return JSON.stringify(describeViolation(error));
  if (error instanceof ProxyError) {
    const { status, code, source, message } = error;
    return JSON.stringify({ error: "tool_failed", status, code, source, message });
  }
  return JSON.stringify({ error: "tool_failed", name: error instanceof Error ? error.name : typeof error });
}
