import type { Place } from "../artifact/compiled-value.js";
import type { Trace } from "./trace/trace.js";

/** How the new form of something compares with the old one, by reading both; `unknown` if neither is shown to be stronger. */
export type Direction = "same" | "stronger" | "weaker" | "unknown";

/** The ids of a rule in the old and in the new pack; null if it is absent. */
export interface RuleIds {
  readonly oldRule: string | null;
  readonly newRule: string | null;
}

/** Values at one path that show how the new form of a rule differs from the old one, in words; null where there is none of that kind. */
export interface ShownValues {
  readonly path: string;
  /** What only the new form accepts. */
  readonly accepted: string | null;
  /** What only the old form accepted. */
  readonly refused: string | null;
}

/** One difference between two packs. */
export interface Change extends RuleIds {
  readonly kind: "added" | "removed" | "tightened" | "loosened" | "changed";
  readonly what: "tool" | "phase" | "transition" | "rule" | "setting";
  /** The name of the tool or phase, or the rule in words. */
  readonly name: string;
  /** The affected tools. */
  readonly tools: readonly string[];
  /** The rule in words before and after; null if it was absent. */
  readonly before: string | null;
  readonly after: string | null;
  readonly direction: Direction;
  /** Its place in the new pack or, if it was removed, in the old one; null if the artifact has no place for it. */
  readonly at: Place | null;
  /** Only of a rule on the values at one path, where they are known. */
  readonly shows?: ShownValues;
  /** Further rules that changed in the same way, for some of the tools. */
  readonly others?: readonly RuleIds[];
}

/** A call that the two packs judge differently. */
export interface Divergence {
  readonly tool: string;
  /** `allowed`: refused before, allowed now. `refused`: allowed before, refused now. */
  readonly now: "allowed" | "refused";
  /** Whether that is the call, or the result of a call that both allow, if need be after an approval. */
  readonly over: "call" | "result";
  /** The last step is the call, with the verdict of the new pack. */
  readonly trace: Trace;
  /** The rule responsible, in words: the old one that refused, or the new one that does. */
  readonly rule: string;
  readonly ruleId: string | null;
}

/** The difference between two versions of a pack. */
export interface Difference {
  /** The name of the pack. */
  readonly pack: string;
  readonly changes: readonly Change[];
  readonly divergences: readonly Divergence[];
  /** Some refused call is allowed now. */
  readonly isLoosened: boolean;
  /** Some allowed call is refused now. */
  readonly isTightened: boolean;
  /** A search ended before it was complete, so there may be more differences. */
  readonly isBounded: boolean;
  /** False if both were only read: as requested, or because nothing in the packs changed, only for example the workflow. */
  readonly isSearched: boolean;
}

/** Why a change does not pass `--fail-on loosened`. */
export interface GateReason {
  readonly direction: "weaker" | "unknown";
  readonly what: Change["what"] | "call" | "search";
  /** The new rule or setting in words or, if it was removed, the old one. */
  readonly text: string;
  readonly tools: readonly string[];
  readonly file?: string;
  readonly line?: number;
}

/** The result of `--fail-on loosened` for a difference. */
export interface Gate {
  readonly loosened: boolean;
  readonly reasons: readonly GateReason[];
}
