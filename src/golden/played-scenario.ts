import type { Place } from "../artifact/compiled-value.js";
import type { Scenario, ScenarioStep } from "../artifact/scenario.js";
import type { Json } from "../base/json.js";
import type { Actual } from "./played-case.js";

/** What happened at a step of a scenario. */
export type StepActual =
  | Actual
  /** The call was allowed, and its output was rejected. */
  | {
      readonly kind: "output_rejected";
      readonly reason: string;
      readonly rule: Place | null;
      readonly required: string;
      readonly found: string;
      readonly because?: string;
    }
  /** There is nothing to answer, or to settle. */
  | { readonly kind: "nothing_open"; readonly what: string }
  | { readonly kind: "settlement_refused"; readonly reason: string }
  /** A part of the state at the end is another. */
  | { readonly kind: "other_state"; readonly part: string; readonly expected: Json; readonly found: Json | undefined };

/** What went wrong in a scenario: at one of its steps, or, if that is null, before or after them. */
export interface ScenarioFailure {
  readonly step: ScenarioStep | null;
  /** Which step, from 1. */
  readonly number: number | null;
  readonly actual: StepActual;
}

/** A scenario and its result; nothing is played after a failure. */
export interface PlayedScenario {
  readonly scenario: Scenario;
  readonly failure: ScenarioFailure | null;
}
