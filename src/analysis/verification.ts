import type { Place } from "../artifact/compiled-value.js";
import type { JsonObject } from "../base/json.js";
import type { Trace } from "./trace.js";

/** A request or response that a rule of the model's side stops or tells of, as the guard judged it. */
export interface ModelWitness {
  readonly provider: "openai" | "anthropic";
  /** The body of the request; of a response, the part of it that says which tool was asked for. */
  readonly request: JsonObject;
  /** Null where the request alone is judged. */
  readonly response: JsonObject | null;
  /** The reason of the block, or the code of the warning. */
  readonly said: string;
}

/** Whether a rule can refuse anything. */
export interface RuleResult {
  /** The id of the rule among the pack's rules. */
  readonly rule: string;
  /**
   * `fires`: there is a call that this rule alone refuses. `never_alone`: it refuses calls, but another rule refuses each
   * of them too. `cannot_fire`: no call of any session is refused by it. `not_shown`: a bound was hit before an answer.
   */
  readonly status: "fires" | "never_alone" | "cannot_fire" | "not_shown";
  /** The last step is the call that is refused; null where there is none. */
  readonly trace: Trace | null;
  /** The ids of the other rules that refuse the last step of the trace. */
  readonly others: readonly string[];
  /** Of rules on requests and responses of models, which no session is needed for: what shows them. */
  readonly shown?: ModelWitness;
}

/** Whether a tool can be called at all. */
export interface ToolResult {
  readonly tool: string;
  readonly status: "allowed" | "never_allowed" | "not_shown";
  /** The last step is the call that is allowed; null where there is none. */
  readonly trace: Trace | null;
}

/** Whether what a claim states holds. */
export interface ClaimResult {
  readonly at: Place;
  /** The claim in words. */
  readonly text: string;
  /** `holds_within_bound`: no counterexample was found before a bound was hit. */
  readonly status: "holds" | "holds_within_bound" | "violated";
  /** A counterexample. */
  readonly trace: Trace | null;
}

/** A way into a state from which no terminal phase can be reached any more. */
export interface StuckResult {
  readonly phase: string | null;
  /** `limits`: the calls of the session are used up; `label`: a label shut the way; `rules`: other rules together did. */
  readonly cause: "limits" | "label" | "rules";
  readonly trace: Trace;
}

/** How far the exploration went. */
export interface Bounds {
  /** Most steps of a trace, and most states of one search. */
  readonly depth: number;
  readonly states: number;
  /** States looked at in all. */
  readonly explored: number;
  /** Which bounds ended a search before it was complete. */
  readonly hit: readonly ("depth" | "states" | "values")[];
}

/** Everything that exploring one pack has shown. */
export interface Verification {
  /** The name of the pack: its agent, or its folder. */
  readonly pack: string;
  readonly bounds: Bounds;
  readonly rules: readonly RuleResult[];
  readonly tools: readonly ToolResult[];
  readonly claims: readonly ClaimResult[];
  readonly stuck: readonly StuckResult[];
}
