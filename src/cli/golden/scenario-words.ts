import type { Scenario, ScenarioStep } from "../../artifact/scenario.js";
import { hintBeside, show } from "../../base/wording.js";
import { quoted } from "../../diagnostics/wording.js";
import type { ScenarioFailure, StepActual } from "../../golden/played-scenario.js";
import { actualWords } from "./words.js";

/** The tool of a step; "" where it has none. */
export function toolOf(step: ScenarioStep | null): string {
  return step?.kind === "call" ? step.tool : "";
}

/** What a step expects, for programs. */
export function stepExpectation(step: ScenarioStep | null): object {
  if (step === null) return {};
  const { verdict, reason, because } = step.expected;
  return {
    kind: verdict === "approval" ? "approval_required" : verdict,
    ...(reason === null ? {} : { reason }),
    ...(because === null ? {} : { because }),
  };
}

const VERDICTS = { allow: "to be allowed", block: "to be refused", approval: "to need an approval" } as const;

function expectedWords({ expected: { verdict, reason, because } }: ScenarioStep): string {
  const why = reason === null ? "" : ` with \`${reason}\``;
  return `${VERDICTS[verdict]}${why}${because === null ? "" : ` because ${quoted(because)}`}`;
}

function stepWords(step: ScenarioStep): string {
  switch (step.kind) {
    case "call":
      return `the call of ${quoted(step.tool)}`;
    case "answer":
      return step.answer === "approve" ? "the approved call" : "the denied call";
    case "settle":
      return "the settlement";
    default:
      return "the step";
  }
}

function happenedWords(actual: StepActual): string {
  switch (actual.kind) {
    case "output_rejected":
      return `its output is rejected with \`${actual.reason}\` (required: ${actual.required}; found: ${actual.found})`;
    case "nothing_open":
      return actual.what;
    case "settlement_refused":
      return `the settlement is refused with \`${actual.reason}\``;
    case "other_state":
      return `the state has ${show(actual.found)} in \`${actual.part}\``;
    case "block":
      return `${actualWords(actual)}${actual.because === undefined ? "" : ` because ${quoted(actual.because)}`}`;
    default:
      return actualWords(actual);
  }
}

/** What is wrong with a scenario, without its place. */
export function scenarioWords({ name }: Scenario, { step, number, actual }: ScenarioFailure): string {
  const named = `the scenario ${quoted(name)}`;
  if (step !== null) {
    return `${named} expects ${stepWords(step)} in step ${number} ${expectedWords(step)}, but ${happenedWords(actual)}`;
  }
  if (actual.kind === "other_state") {
    return `${named} ends with \`${actual.part}\` other than ${show(actual.expected)}: ${happenedWords(actual)}`;
  }
  return `${named} cannot be played: ${happenedWords(actual)}`;
}

/** How to fix a scenario that failed. */
export function scenarioHelp({ actual }: ScenarioFailure): string {
  switch (actual.kind) {
    case "block": {
      const hint = actual.hint === null ? null : hintBeside(actual.hint, actual.because);
      return `correct the step, or the rule that refuses the call${hint === null ? "" : `; hint of the guard: ${hint}`}`;
    }
    case "output_rejected":
      return "correct the output of the step, or the rule that rejects it; an expected rejection is `expect: allow` with its `reason`";
    case "allow":
      return "correct the step, or add the rule that should refuse the call";
    case "approval_required":
      return "write `expect: approval`, and answer it in the next step with `approve` or `deny`";
    case "nothing_open":
      return "a call without `output` or `error` stays unsettled, and one that needs an approval waits for it; correct the order of the steps";
    case "not_started":
      return actual.help;
    default:
      return "correct the scenario, or the rules";
  }
}
