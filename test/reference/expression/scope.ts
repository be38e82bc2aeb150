import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Slot } from "./slots.js";
import type { Steps } from "./steps.js";
import type { Value } from "./value.js";

/** Everything that an expression may read. */
export interface Input {
  readonly args: JsonObject;
  readonly principal: JsonObject | null;
  readonly labels: readonly string[];
  readonly tool: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly output?: Json;
  readonly constants: JsonObject;
  readonly timezone: string | null;
  readonly slots: ReadonlyMap<string, Slot>;
}

export type Answer = "true" | "false" | "unjudgeable" | "awaited";

/** An input, the variables of the macros around, and the steps taken so far. */
export interface Scope {
  readonly input: Input;
  readonly locals: ReadonlyMap<string, Value>;
  readonly steps: Steps;
}
