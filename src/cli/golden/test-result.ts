import type { Place } from "../../artifact/compiled-value.js";
import type { PlayedCase } from "../../golden/played-case.js";
import type { PlayedScenario, StepActual } from "../../golden/played-scenario.js";
import { scenarioHelp, scenarioWords, stepExpectation, toolOf } from "./scenario-words.js";
import { codeOf, failureWords, helpFor } from "./words.js";

/** One test, in a form that every format prints. */
export interface TestResult {
  readonly id: string;
  /** The tool of a golden case, or that of the step of a scenario that decided. */
  readonly tool: string;
  readonly at: Place;
  readonly ok: boolean;
  readonly expected: object;
  readonly actual: object;
  /** What went wrong; null if it is ok. */
  readonly failure: {
    readonly code: string;
    readonly message: string;
    readonly help: string;
    readonly rule: Place | null;
  } | null;
}

function ruleOf(actual: StepActual): Place | null {
  return "rule" in actual ? actual.rule : null;
}

function plainActual(actual: StepActual): object {
  const rule = ruleOf(actual);
  return {
    kind: actual.kind,
    ...("reason" in actual ? { reason: actual.reason } : {}),
    ...(rule === null ? {} : { rule }),
  };
}

/** The result of a golden case. */
export function caseResult(played: PlayedCase): TestResult {
  const { golden, ok, actual } = played;
  const { id, tool, at, expected } = golden;
  return {
    ...{ id, tool, at, ok },
    expected: { ok: expected.ok, ...(expected.reason === null ? {} : { reason: expected.reason }) },
    actual: plainActual(actual),
    failure: ok
      ? null
      : { code: codeOf(actual), message: failureWords(played), help: helpFor(played), rule: ruleOf(actual) },
  };
}

/** The result of a scenario: the step that failed, or the last one. */
export function scenarioResult(played: PlayedScenario): TestResult {
  const { scenario, failure } = played;
  const step = failure === null ? (scenario.steps.at(-1) ?? null) : failure.step;
  const base = { id: scenario.name, tool: toolOf(step), at: step?.at ?? scenario.at, expected: stepExpectation(step) };
  if (failure === null) return { ...base, ok: true, actual: stepExpectation(step), failure: null };
  const { actual } = failure;
  return {
    ...{ ...base, ok: false, actual: plainActual(actual) },
    failure: {
      code: "scenario_failed",
      message: scenarioWords(scenario, failure),
      help: scenarioHelp(failure),
      rule: ruleOf(actual),
    },
  };
}
