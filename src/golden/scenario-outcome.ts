import type { ScenarioEnding } from "../artifact/scenario.js";
import type { Outcome } from "../guard/session/outcome.js";
import { recordedError } from "../guard/session/recorded-error.js";

/** How a call of a scenario ends, in the words of a guard. */
export function outcomeOf(ending: ScenarioEnding): Outcome {
  switch (ending.kind) {
    case "output":
      return { kind: "result", output: ending.output };
    case "error":
      return recordedError(ending.error);
    case "timeout":
      return { kind: "timeout", sent: undefined };
    default:
      return { kind: ending.kind };
  }
}
