import type { Json, JsonObject } from "../base/json.js";
import type { Place } from "./compiled-value.js";
import type { GivenSession } from "./golden-case.js";

/** How a call ends; null leaves it unsettled. */
export type ScenarioEnding =
  | { readonly kind: "output"; readonly output: Json }
  | { readonly kind: "error"; readonly error: Json }
  | { readonly kind: "happened" | "did_not_happen" | "timeout" };

/** The verdict that something must get. */
export interface Expected {
  readonly verdict: "allow" | "block" | "approval";
  /** Null where any is accepted. */
  readonly reason: string | null;
  readonly because: string | null;
}

/** One thing that happens in a scenario. */
export type ScenarioStep = { readonly at: Place; readonly expected: Expected } & (
  | { readonly kind: "call"; readonly tool: string; readonly args: JsonObject; readonly ending: ScenarioEnding | null }
  | { readonly kind: "answer"; readonly answer: "approve" | "deny"; readonly by: string }
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "cost"; readonly usd: number }
  | { readonly kind: "step" }
  | { readonly kind: "time"; readonly milliseconds: number }
  /** `tool` is null where the latest unsettled call is meant. */
  | { readonly kind: "settle"; readonly tool: string | null; readonly ending: ScenarioEnding }
);

/** A session with the verdict of each of its calls; it is played beforehand, so it is not part of the artifact. */
export interface Scenario {
  readonly at: Place;
  readonly name: string;
  readonly given: GivenSession;
  readonly steps: readonly ScenarioStep[];
  /** Parts of the state at the end. */
  readonly state: JsonObject;
}

/** The scenarios of one pack, in the order of its files. */
export type PackScenarios = readonly Scenario[];
