import type { StepOutcome, StepVerdict, Trace, TraceStep } from "../../analysis/trace.js";
import { unreachable } from "../../base/invariant.js";

const LONGEST = 300;
/** Of a long session the beginning and the end tell the story. */
const MOST_STEPS = 12;

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function outcomeText(outcome: StepOutcome | null): string {
  switch (outcome?.kind) {
    case undefined:
      return "";
    case "result":
      return ` -> ${cut(JSON.stringify(outcome.output))}`;
    case "violated":
      return ` -> ${cut(JSON.stringify(outcome.output))} (withheld: ${outcome.reason})`;
    case "open":
      return " (still running)";
    case "failed":
      return " (fails before it is sent)";
  }
}

function verdictText(verdict: StepVerdict): string {
  switch (verdict.kind) {
    case "allow":
      return "";
    case "approval":
      return " [asks for an approval]";
    case "block":
      return ` REFUSED: ${verdict.reason}`;
  }
}

function stepText(step: TraceStep): string {
  switch (step.kind) {
    case "call": {
      const outcome = step.verdict.kind === "block" ? "" : outcomeText(step.outcome);
      return `${step.tool} ${cut(JSON.stringify(step.args))}${verdictText(step.verdict)}${outcome}`;
    }
    case "settle":
      return `${step.tool} answers ${cut(JSON.stringify(step.output))}`;
    case "step":
      return "the model's next turn begins";
    case "label":
      return `the label ${step.label} is added`;
    case "cost":
      return `a cost of ${step.usd} US dollars is reported`;
    default:
      return unreachable(step);
  }
}

/** A session as numbered lines. */
export function traceLines({ principal, steps }: Trace): readonly string[] {
  const width = String(steps.length).length;
  const lines = steps.map((step, at) => {
    const phase = step.phase === null ? "" : ` (${step.phase})`;
    return `${String(at + 1).padStart(width)}. ${stepText(step)}${phase}`;
  });
  const left = lines.length - MOST_STEPS;
  const shown =
    left <= 1
      ? lines
      : [...lines.slice(0, MOST_STEPS / 2), `${" ".repeat(width)}  … ${left} more`, ...lines.slice(-MOST_STEPS / 2)];
  return principal === null ? shown : [`called by ${cut(JSON.stringify(principal))}`, ...shown];
}
