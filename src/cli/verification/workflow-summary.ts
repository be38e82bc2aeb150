import type { WorkflowTrace } from "../../analysis/workflow/workflow-trace.js";
import type { WorkflowVerification } from "../../analysis/workflow/workflow-verification.js";
import { principalTexts, waitingText, workflowStepText } from "../../analysis/workflow/workflow-words.js";
import { cleanLine } from "../../base/clean.js";
import { counted } from "../../diagnostics/wording.js";
import { block, boundLine, CLAIM_WORDS, claimLines, metLine, tally } from "./summary.js";

/** A run as numbered lines. */
function runLines(trace: WorkflowTrace): readonly string[] {
  const width = String(trace.steps.length).length;
  const lines = trace.steps.map((step, at) => `${String(at + 1).padStart(width)}. ${workflowStepText(step)}`);
  return [...principalTexts(trace), ...lines];
}

/** What exploring a workflow has shown, for a terminal. */
export function workflowText(verification: WorkflowVerification, isFull: boolean): string {
  const { workflow, bounds, claims, deadlocks } = verification;
  const statuses = tally(
    claims.map(({ status }) => status),
    CLAIM_WORDS,
  );
  const waits = deadlocks.length === 0 ? "no deadlock was found" : `${counted(deadlocks.length, "deadlock")} found`;
  const lines = [
    `workflow ${workflow}`,
    ...(statuses === "" ? [] : [`  claims  ${counted(claims.length, "claim")}: ${statuses}`]),
    ...claimLines(claims),
    `  waits   ${waits}`,
    boundLine(bounds, `, and ${counted(bounds.sessions, "session")} of a role`),
    metLine(bounds, isFull),
    ...claims.flatMap(({ text, trace }) => (trace === null ? [] : block(`counterexample: ${text}`, runLines(trace)))),
    ...deadlocks.flatMap(({ sessions, isProved, trace }) =>
      block(isProved ? "deadlock:" : "deadlock, as far as the search went:", [
        ...sessions.map((session) => `${waitingText(session)}`),
        ...runLines(trace),
      ]),
    ),
  ];
  return `${lines.map(cleanLine).join("\n")}\n`;
}
