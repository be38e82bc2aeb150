import type { Guard } from "../../guard/guard-api.js";
import type { ModelProvider, RequestWarning } from "../../guard/model/public.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";

/** Judges the body of a request, a copy that nobody changes; a refused one is an error. */
export function checkBody(
  guard: Guard,
  given: { readonly provider: ModelProvider; readonly request: unknown },
  onWarning: ((warning: RequestWarning) => void) | undefined,
): void {
  const verdict = guard.checkRequest({ ...given, parsed: true });
  if (verdict.kind === "block") throw new ContractViolation("a request to the model", verdict);
  for (const warning of verdict.warnings) onWarning?.(warning);
}
