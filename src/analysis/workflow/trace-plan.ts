import type { Action } from "../trace/plan.js";
import type { Trace } from "../trace/trace.js";

/** The actions of a session that was replayed, to be played once more as a part of a workflow. */
export function plannedActions({ steps }: Trace): readonly Action[] {
  return steps.flatMap((step): readonly Action[] => {
    switch (step.kind) {
      case "call": {
        const { tool, args, verdict } = step;
        const outcome = step.outcome ?? { kind: "open" as const };
        const planned = outcome.kind === "violated" ? { kind: "result" as const, output: outcome.output } : outcome;
        const isUnanswered = verdict.kind === "approval" && verdict.isUnanswered === true;
        return [{ kind: "call", tool, args, outcome: planned, ...(isUnanswered ? { isUnanswered } : {}) }];
      }
      case "settle":
        return [{ kind: "settle", output: step.output }];
      case "step":
        return [{ kind: "step" }];
      case "label":
        return [{ kind: "label", label: step.label }];
      case "cost":
        return [{ kind: "cost", usd: step.usd }];
      case "clock":
        return [{ kind: "clock", now: step.now }];
      default:
        return step satisfies never;
    }
  });
}
