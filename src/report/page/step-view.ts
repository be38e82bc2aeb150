import type { StepOutcome, StepVerdict, TraceStep } from "../../analysis/trace/trace.js";
import { REASONS } from "../../artifact/reasons.js";
import { unreachable } from "../../base/invariant.js";
import { isJsonObject, type Json } from "../../base/json.js";
import { placeText } from "../sentence-words.js";

/** One step as the script of the page shows it: all texts are made here, so that the script only places them. */
export interface StepView {
  readonly title: string;
  readonly tool: number | null;
  /** The phases before and after, by number; in a run of a workflow, the roles. */
  readonly from: number | null;
  readonly to: number | null;
  readonly verdict: StepVerdict["kind"] | "waits" | "event";
  readonly facts: readonly (readonly [label: string, value: string])[];
}

const LONGEST = 600;

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A value for people: an object has a line for each of its entries. */
export function written(value: Json): string {
  if (!isJsonObject(value)) return cut(JSON.stringify(value));
  const lines = Object.entries(value).map(([name, item]) => cut(`${name}: ${JSON.stringify(item)}`));
  return lines.length === 0 ? "nothing" : lines.join("\n");
}

function approvalWords({ isUnanswered }: StepVerdict & { readonly kind: "approval" }): string {
  return isUnanswered === true ? "the approval expired unanswered" : "a person approves";
}

/** What the policy itself says comes before the words of the guard. */
function becauseFacts({ because }: { readonly because?: string }): StepView["facts"] {
  return because === undefined ? [] : [["Because", because]];
}

export function verdictFacts(verdict: StepVerdict): StepView["facts"] {
  switch (verdict.kind) {
    case "allow":
      return [["Verdict", "allowed"]];
    case "approval":
      return [
        ...becauseFacts(verdict),
        ["Verdict", `allowed after ${approvalWords(verdict)} (${verdict.rules.map(placeText).join(", ")})`],
      ];
    case "block": {
      const { reason, rule, required, found } = verdict;
      const where = rule === null ? "" : ` (${placeText(rule)})`;
      return [
        ...becauseFacts(verdict),
        ["Verdict", `refused: ${REASONS[reason]}${where}`],
        ["Required", required],
        ["Found", found],
      ];
    }
    default:
      return unreachable(verdict);
  }
}

function outcomeFacts(outcome: StepOutcome | null): StepView["facts"] {
  switch (outcome?.kind) {
    case undefined:
      return [];
    case "result":
      return [["Answer", written(outcome.output)]];
    case "violated": {
      const where = outcome.rule === null ? "" : ` (${placeText(outcome.rule)})`;
      return [
        ["Answer", written(outcome.output)],
        ...becauseFacts(outcome),
        ["Result", `withheld: ${REASONS[outcome.reason]}${where}`],
      ];
    }
    case "failed":
      return [["Answer", "none: the call could not be sent"]];
    case "lost":
      return [["Answer", "none: the call timed out after it was sent, so it may have happened"]];
    case "open":
      return [["Answer", "none yet: the call is still running"]];
    default:
      return unreachable(outcome);
  }
}

/** A step without its place in a drawing. */
export function titled(step: TraceStep): Pick<StepView, "title" | "verdict" | "facts"> {
  switch (step.kind) {
    case "call": {
      const { tool, args, verdict, outcome } = step;
      const facts = [["Arguments", written(args)] as const, ...verdictFacts(verdict), ...outcomeFacts(outcome)];
      return { title: tool, verdict: verdict.kind, facts };
    }
    case "settle":
      return { title: `${step.tool} answers`, verdict: "event", facts: [["Answer", written(step.output)]] };
    case "label":
      return { title: `The session gets the label ${step.label}`, verdict: "event", facts: [] };
    case "step":
      return { title: "The next turn of the model begins", verdict: "event", facts: [] };
    case "cost":
      return { title: `The session costs ${step.usd} USD more`, verdict: "event", facts: [] };
    case "clock":
      return { title: `It is ${new Date(step.now).toISOString()}`, verdict: "event", facts: [] };
    default:
      return unreachable(step);
  }
}
