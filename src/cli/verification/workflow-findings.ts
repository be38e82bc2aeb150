import type { DeadlockResult, WorkflowVerification } from "../../analysis/workflow/workflow-verification.js";
import { waitingText } from "../../analysis/workflow/workflow-words.js";
import type { VerificationSuppression } from "../../compiler/verification-suppression.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { listed } from "../../diagnostics/wording.js";
import type { PlaceSpans } from "./place-span.js";
import { unusedSuppression } from "./unused-suppression.js";

/** The one finding of a workflow that may be suppressed; in the session.yaml of any of the packs. */
export const OF_WORKFLOW = "workflow_deadlock";

function silences({ tool }: VerificationSuppression, { sessions }: DeadlockResult): boolean {
  return tool === null || sessions.some(({ wants }) => wants.tool === tool);
}

/** Whether every deadlock that was found is suppressed with a reason; false where none was. */
export function isDeadlockMeant(
  { deadlocks }: WorkflowVerification,
  suppressions: readonly VerificationSuppression[],
): boolean {
  return deadlocks.length > 0 && deadlocks.every((deadlock) => isSilent(deadlock, suppressions));
}

function isSilent(deadlock: DeadlockResult, suppressions: readonly VerificationSuppression[]): boolean {
  return suppressions.some((suppression) => suppression.check === OF_WORKFLOW && silences(suppression, deadlock));
}

function deadlockMessage({ sessions, isProved }: DeadlockResult): string {
  const roles = [...new Set(sessions.map(({ role }) => role))];
  const end = isProved ? "none of them can finish" : "no way was found for one of them to finish";
  return `sessions of ${listed(roles, "and")} can wait for each other, and ${end}: ${sessions.map(waitingText).join("; ")}`;
}

/** What exploring a workflow found, as findings at their places; what is suppressed with a reason is left out. */
export function workflowFindings(
  { claims, deadlocks }: WorkflowVerification,
  suppressions: readonly VerificationSuppression[],
  spans: PlaceSpans,
): readonly Diagnostic[] {
  const own = suppressions.filter(({ check }) => check === OF_WORKFLOW);
  const violated = claims.filter(({ status }) => status === "violated");
  const reported = deadlocks.filter((deadlock) => !isSilent(deadlock, own));
  const unused = own.filter((suppression) => !deadlocks.some((deadlock) => silences(suppression, deadlock)));
  return [
    ...violated.map(({ at, text }) => ({
      code: "claim_violated",
      severity: "error" as const,
      message: `this does not hold: ${text}`,
      span: spans.at(at),
    })),
    ...reported.map((deadlock) => ({
      code: OF_WORKFLOW,
      severity: "warning" as const,
      message: deadlockMessage(deadlock),
      span: spans.at(deadlock.at),
    })),
    ...unused.map(unusedSuppression),
  ];
}
