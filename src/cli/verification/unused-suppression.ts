import type { VerificationSuppression } from "../../compiler/verification-suppression.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";

/** A suppression of what exploring does not find. */
export function unusedSuppression({ check, tool, span }: VerificationSuppression): Diagnostic {
  return {
    code: "unused_suppression",
    severity: "warning",
    message: `nothing is suppressed: no finding \`${check}\`${tool === null ? "" : ` about \`${tool}\``}`,
    help: "remove the suppression",
    span,
  };
}
