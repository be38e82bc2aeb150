import type { Place } from "../artifact/compiled-value.js";
import type { JsonObject } from "../base/json.js";
import type { MetName } from "./model/caps.js";
import type { ArgumentName } from "./proof/proof.js";
import type { Trace } from "./trace/trace.js";

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

/** The argument of what is proved, which docs/analysis.md describes; both are null where nothing is. */
interface Proved {
  readonly by: ArgumentName | null;
  /** The same in words, a clause that follows "because". */
  readonly because: string | null;
}

/** Whether a rule can refuse anything. */
export interface RuleResult extends Proved {
  /** The id of the rule among the pack's rules. */
  readonly rule: string;
  /**
   * `fires`: there is a call that this rule alone refuses. `never_alone`: it was seen to refuse calls, each of them together
   * with another rule. `cannot_fire`: proved that no call of any session is refused by it. `not_shown`: none was found.
   */
  readonly status: "fires" | "never_alone" | "cannot_fire" | "not_shown";
  /** The last step is the call that is refused; null where there is none. */
  readonly trace: Trace | null;
  /** The ids of the other rules that refuse the last step of the trace. */
  readonly others: readonly string[];
  /** Of rules on requests and responses of models, which no session is needed for: what shows them. */
  readonly shown?: ModelWitness;
  /** Of `not_shown`: every bound and simplification that was met in looking for it. */
  readonly met: readonly MetName[];
}

/** Whether a tool can be called at all. */
export interface ToolResult extends Proved {
  readonly tool: string;
  /** `never_allowed`: proved that no call of any session is allowed. `not_shown`: none was found. */
  readonly status: "allowed" | "never_allowed" | "not_shown";
  /** The last step is the call that is allowed; null where there is none. */
  readonly trace: Trace | null;
  /** Of `not_shown`: every bound and simplification that was met in looking for it. */
  readonly met: readonly MetName[];
}

/** Whether what a claim states holds. */
export interface ClaimResult extends Proved {
  readonly at: Place;
  /** The claim in words. */
  readonly text: string;
  /** `proved`: it holds of every session. `no_counterexample`: none was found, which proves nothing. */
  readonly status: "proved" | "no_counterexample" | "violated";
  /** Of `proved`: the ids of the rules that the argument rests on. */
  readonly rules: readonly string[];
  /** States that were looked at for a counterexample. */
  readonly states: number;
  /** Of `no_counterexample`: every bound and simplification that was met. */
  readonly met: readonly MetName[];
  /** A counterexample. */
  readonly trace: Trace | null;
}

/** A way into a state from which no way to a terminal phase was found any more. */
export interface StuckResult {
  readonly phase: string | null;
  /** `limits`: the calls of the session are used up; `label`: a label shut the way; `rules`: other rules together did. */
  readonly cause: "limits" | "label" | "rules";
  /** Whether it is proved that there is no way; else none was found. */
  readonly isProved: boolean;
  readonly trace: Trace;
}

/** How far the exploration went. */
export interface Bounds {
  /** Most steps of a trace, and most states of one search. */
  readonly depth: number;
  readonly states: number;
  /** States looked at in all. */
  readonly explored: number;
  /** Every bound that cut something off, and every simplification that mattered, in any search. */
  readonly hit: readonly MetName[];
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
