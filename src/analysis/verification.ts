import type { Place } from "../artifact/compiled-value.js";
import type { JsonObject } from "../base/json.js";
import type { MetName } from "./model/caps.js";
import type { ArgumentName } from "./proof/proof.js";
import type { Trace } from "./trace/trace.js";

/** A request or response for which a rule on models blocks or warns, as judged by the guard. */
export interface ModelWitness {
  readonly provider: "openai" | "anthropic";
  /** The body of the request; for a response, the part of it that names the requested tool. */
  readonly request: JsonObject;
  /** Null if only the request is judged. */
  readonly response: JsonObject | null;
  /** The reason of the block, or the code of the warning. */
  readonly said: string;
}

/** The argument of a proof, described in docs/analysis.md; both are null if nothing is proved. */
interface Proved {
  readonly by: ArgumentName | null;
  /** The argument in words, a clause that follows "because". */
  readonly because: string | null;
}

/** The session that came closest to what was not shown, or is proved to be impossible. */
export interface Miss {
  /** The last step is a refused call. */
  readonly trace: Trace;
  /** The ids of all rules that refuse it: at least one of them would have to change. */
  readonly refusedBy: readonly string[];
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
  /** The last step is the refused call; null if there is none. */
  readonly trace: Trace | null;
  /** The ids of the other rules that refuse the last step. */
  readonly others: readonly string[];
  /** For rules on requests and responses, which need no session: the body that shows them. */
  readonly shown?: ModelWitness;
  /** For `not_shown`: every bound and simplification met during the search. */
  readonly met: readonly MetName[];
  /** For `cannot_fire` and `not_shown`: what keeps calls from getting to the rule, where other rules do. */
  readonly miss: Miss | null;
}

/** Whether a tool can be called at all. */
export interface ToolResult extends Proved {
  readonly tool: string;
  /** `never_allowed`: proved that no call of any session is allowed. `not_shown`: none was found. */
  readonly status: "allowed" | "never_allowed" | "not_shown";
  /** The last step is the allowed call; null if there is none. */
  readonly trace: Trace | null;
  /** For `not_shown`: every bound and simplification met during the search. */
  readonly met: readonly MetName[];
  /** For `never_allowed` and `not_shown`: the call that the fewest rules refuse. */
  readonly miss: Miss | null;
}

/** Whether a claim holds. */
export interface ClaimResult extends Proved {
  readonly at: Place;
  /** The claim in words. */
  readonly text: string;
  /** `proved`: it holds for every session. `no_counterexample`: none was found, which proves nothing. */
  readonly status: "proved" | "no_counterexample" | "violated";
  /** For `proved`: the ids of the rules that the argument rests on. */
  readonly rules: readonly string[];
  /** Number of states visited in the search for a counterexample. */
  readonly states: number;
  /** For `no_counterexample`: every bound and simplification that was met. */
  readonly met: readonly MetName[];
  /** A counterexample. */
  readonly trace: Trace | null;
}

/** A session that ends in a state from which no path to a terminal phase was found. */
export interface StuckResult {
  readonly phase: string | null;
  /** `limits`: the session limits are used up; `label`: a label gate blocks every path; `rules`: other rules do. */
  readonly cause: "limits" | "label" | "rules";
  /** Whether it is proved that there is no path; otherwise none was found. */
  readonly isProved: boolean;
  readonly trace: Trace;
}

/** The extent of the exploration. */
export interface Bounds {
  /** The largest number of steps in a trace, and of states in one search. */
  readonly depth: number;
  readonly states: number;
  /** Number of states visited by all searches. */
  readonly explored: number;
  /** Every bound and simplification that mattered to a search. */
  readonly hit: readonly MetName[];
}

/** The results for one pack. */
export interface Verification {
  /** The name of the pack: its agent, or its folder. */
  readonly pack: string;
  readonly bounds: Bounds;
  readonly rules: readonly RuleResult[];
  readonly tools: readonly ToolResult[];
  readonly claims: readonly ClaimResult[];
  readonly stuck: readonly StuckResult[];
}
