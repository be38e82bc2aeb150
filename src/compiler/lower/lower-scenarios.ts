import type { PackScenarios, ScenarioEnding, ScenarioStep } from "../../artifact/scenario.js";
import { durationOf } from "../../base/duration.js";
import { invariant } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import { assertWhole } from "../../language/draft.js";
import type { ScenarioContract, ScenarioEntry } from "../../language/schema/scenario.js";
import type { RuleContext } from "../rule-context.js";
import { lowerGiven } from "./lower-golden-cases.js";
import { placeIn } from "./lower-value.js";

interface Ending {
  readonly as?: "happened" | "did_not_happen" | "timeout";
  readonly output?: Json;
  readonly error?: Json;
}

function lowerEnding({ as, output, error }: Ending): ScenarioEnding | null {
  if (as !== undefined) return { kind: as };
  if (error !== undefined) return { kind: "error", error };
  return output === undefined ? null : { kind: "output", output };
}

type Body = ScenarioStep extends infer S ? (S extends unknown ? Omit<S, "at" | "expected"> : never) : never;

function bodyOf(entry: ScenarioEntry): Body {
  if (entry.call !== undefined) {
    return { kind: "call", tool: entry.call, args: entry.args ?? {}, ending: lowerEnding(entry) };
  }
  if (entry.approve !== undefined) return { kind: "answer", answer: "approve", by: entry.approve };
  if (entry.deny !== undefined) return { kind: "answer", answer: "deny", by: entry.deny };
  if (entry.label !== undefined) return { kind: "label", label: entry.label };
  if (entry.cost !== undefined) return { kind: "cost", usd: entry.cost };
  if (entry.advance_clock !== undefined) {
    const milliseconds = durationOf(entry.advance_clock);
    invariant(milliseconds !== null, "durations were checked");
    return { kind: "time", milliseconds };
  }
  if (entry.settle !== undefined) {
    const ending = lowerEnding(entry.settle);
    invariant(ending !== null, "a settlement says what became of the call");
    return { kind: "settle", tool: entry.settle.call ?? null, ending };
  }
  return { kind: "step" };
}

function lowerStep(entry: ScenarioEntry): ScenarioStep {
  // A denied call is refused; everything else that is not said otherwise is allowed.
  const usual = entry.deny === undefined ? "allow" : "block";
  const { expect: verdict = usual, reason = null, because = null } = entry;
  return { at: placeIn(entry), expected: { verdict, reason, because }, ...bodyOf(entry) };
}

/** Lowers the scenarios of a pack without errors. */
export function lowerScenarios({ files }: RuleContext): PackScenarios {
  return files.scenarios.map(({ draft }) => {
    const whole = assertWhole<ScenarioContract>(draft);
    const { name, given, steps, state } = whole;
    return { at: placeIn(whole), name, given: lowerGiven(given), steps: steps.map(lowerStep), state: state ?? {} };
  });
}
