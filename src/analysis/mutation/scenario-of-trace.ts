import type { Scenario, ScenarioEnding, ScenarioStep } from "../../artifact/scenario.js";
import { isJsonObject } from "../../base/json.js";
import type { StepOutcome, Trace, TraceStep } from "../trace/trace.js";

/** A scenario that is in no file yet. */
const NOWHERE = { file: "", line: 0 };

const ALLOWED = { verdict: "allow", reason: null, because: null } as const;

type Call = TraceStep & { readonly kind: "call" };

/** The call could not be sent. */
const FAILED: ScenarioEnding = { kind: "error", error: { sent: false } };

function endingOf(outcome: StepOutcome | null): ScenarioEnding | null {
  switch (outcome?.kind) {
    case "result":
    case "violated":
      return { kind: "output", output: outcome.output };
    case "failed":
      return FAILED;
    default:
      return null;
  }
}

/** What an allowed call must get: a rejected output is expected by its reason. */
function settledAs(outcome: StepOutcome | null): ScenarioStep["expected"] {
  if (outcome?.kind !== "violated") return ALLOWED;
  return { ...ALLOWED, reason: outcome.reason, because: outcome.because ?? null };
}

/** The answer to a request for an approval; scenarios cannot wait for silence. */
function answered({ verdict, outcome }: Call): readonly ScenarioStep[] {
  if (verdict.kind !== "approval" || verdict.isUnanswered === true) return [];
  return [{ at: NOWHERE, expected: settledAs(outcome), kind: "answer", answer: "approve", by: "reviewer" }];
}

function stepsOfCall(call: Call): readonly ScenarioStep[] {
  const { tool, args, verdict, outcome } = call;
  const because = verdict.kind === "allow" ? null : (verdict.because ?? null);
  const reason = verdict.kind === "block" ? verdict.reason : null;
  const expected = verdict.kind === "allow" ? settledAs(outcome) : { verdict: verdict.kind, reason, because };
  const lost: readonly ScenarioStep[] =
    outcome?.kind === "lost"
      ? [{ at: NOWHERE, expected: ALLOWED, kind: "settle", tool: null, ending: { kind: "timeout" } }]
      : [];
  return [{ at: NOWHERE, expected, kind: "call", tool, args, ending: endingOf(outcome) }, ...answered(call), ...lost];
}

/** The time before a step. */
function timeBefore(steps: readonly TraceStep[], at: number): number {
  const last = steps.slice(0, at).findLast(({ kind }) => kind === "clock");
  return last?.kind === "clock" ? last.now : 0;
}

function stepsOf(step: TraceStep, at: number, all: readonly TraceStep[]): readonly ScenarioStep[] {
  const common = { at: NOWHERE, expected: ALLOWED };
  switch (step.kind) {
    case "call":
      return stepsOfCall(step);
    case "settle":
      return [{ ...common, kind: "settle", tool: step.tool, ending: { kind: "output", output: step.output } }];
    case "step":
      return [{ ...common, kind: "step" }];
    case "label":
      return [{ ...common, kind: "label", label: step.label }];
    case "cost":
      return [{ ...common, kind: "cost", usd: step.usd }];
    case "clock":
      return [{ ...common, kind: "time", milliseconds: step.now - timeBefore(all, at) }];
  }
}

/** A session with its verdicts as a scenario. A refused step is not in the trace, so that playing it may fail. */
export function scenarioOfTrace({ principal, steps }: Trace, name: string): Scenario {
  return {
    at: NOWHERE,
    name,
    given: {
      phase: null,
      labels: [],
      bindings: new Map(),
      principal: isJsonObject(principal) ? principal : null,
      history: [],
      now: 0,
    },
    steps: steps.flatMap(stepsOf),
    state: {},
  };
}
