import { unreachable } from "../../base/invariant.js";
import { IN_SHORT, principalLines, stepText } from "../trace/trace-words.js";
import type { WorkflowStep, WorkflowTrace } from "./workflow-trace.js";
import type { NamedResource, WaitingSession } from "./workflow-verification.js";

/** A step of a workflow in one line. */
export function workflowStepText(step: WorkflowStep): string {
  const { session } = step;
  switch (step.kind) {
    case "start":
      return `${session} starts`;
    case "handoff":
      return `${session} hands off to ${step.child}`;
    case "close":
      return `${session} closes`;
    case "act": {
      const { phase } = step.step;
      return `${session}: ${stepText(step.step, IN_SHORT)}${phase === null ? "" : ` (${phase})`}`;
    }
    case "ask":
      return `${session}: ${step.tool} ${IN_SHORT.value(step.args)} [waits for an approval]`;
    case "approve": {
      const { verdict } = step;
      const answer = verdict.kind === "block" ? IN_SHORT.refused(verdict.reason) : IN_SHORT.approved;
      return `${session}: the approval of ${step.tool} comes${answer}`;
    }
    default:
      return unreachable(step);
  }
}

/** Who calls in each session, where principals matter. */
export function principalTexts({ sessions }: WorkflowTrace): readonly string[] {
  return sessions.flatMap(({ session, principal }) =>
    principalLines(principal, IN_SHORT).map((line) => `${session} is ${line}`),
  );
}

function resourceText({ alias, key }: NamedResource): string {
  return `\`${alias}\` ${JSON.stringify(key)}`;
}

/** What a session of a deadlock has, and what it waits for. */
export function waitingText({ session, holds, wants: { tool, resources } }: WaitingSession): string {
  const own = holds.map(resourceText).join(" and ");
  return `\`${session}\` owns ${own} and needs ${resources.map(resourceText).join(" and ")} for \`${tool}\``;
}
