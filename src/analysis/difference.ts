import type { Place } from "../artifact/compiled-value.js";
import type { Trace } from "./trace/trace.js";

/** Whether the new form of something is as strong as the old one, by reading both; `unknown` where that is not shown. */
export type Direction = "same" | "stronger" | "weaker" | "unknown";

/** The ids of a rule in the old and in the new pack; null where it is not there. */
export interface RuleIds {
  readonly oldRule: string | null;
  readonly newRule: string | null;
}

/** One thing that differs between two packs. */
export interface Change extends RuleIds {
  readonly kind: "added" | "removed" | "tightened" | "loosened" | "changed";
  readonly what: "tool" | "phase" | "transition" | "rule" | "setting";
  /** The name of the tool or phase, or the rule in words. */
  readonly name: string;
  /** The tools it concerns. */
  readonly tools: readonly string[];
  /** The rule in words before and after; null where it was not there. */
  readonly before: string | null;
  readonly after: string | null;
  readonly direction: Direction;
  /** Where it stands now, or stood where it is gone; null for what the artifact has no place of. */
  readonly at: Place | null;
  /** Further rules that changed in the same way, for some of the tools. */
  readonly others?: readonly RuleIds[];
}

/** A call that the two packs judge differently. */
export interface Divergence {
  readonly tool: string;
  /** `allowed`: refused before, allowed now. `refused`: allowed before, refused now. */
  readonly now: "allowed" | "refused";
  /** The last step is the call, with the verdict of the new pack. */
  readonly trace: Trace;
  /** The rule responsible, in words: the old one that refused, or the new one that does. */
  readonly rule: string;
  readonly ruleId: string | null;
}

/** What a change of a pack means. */
export interface Difference {
  /** The name of the pack. */
  readonly pack: string;
  readonly changes: readonly Change[];
  readonly divergences: readonly Divergence[];
  /** Something that was refused is allowed now. */
  readonly isLoosened: boolean;
  /** Something that was allowed is refused now. */
  readonly isTightened: boolean;
  /** A search ended before it was complete, so that there may be more. */
  readonly isBounded: boolean;
  /** False where both were only read: as asked for, or because only something beside the packs changed, such as the workflow. */
  readonly isSearched: boolean;
}

/** Why a change does not pass `--fail-on loosened`. */
export interface GateReason {
  readonly direction: "weaker" | "unknown";
  readonly what: Change["what"] | "call" | "search";
  /** The rule or the setting in words, as it is now or, where it is gone, as it was. */
  readonly text: string;
  readonly tools: readonly string[];
  readonly file?: string;
  readonly line?: number;
}

/** What `--fail-on loosened` makes of a difference. */
export interface Gate {
  readonly loosened: boolean;
  readonly reasons: readonly GateReason[];
}
