import type { Trace } from "./trace.js";

/** One thing that differs between two packs. */
export interface Change {
  readonly kind: "added" | "removed" | "tightened" | "loosened" | "changed";
  readonly what: "tool" | "phase" | "transition" | "rule" | "setting";
  /** The name of the tool or phase, or the rule in words. */
  readonly name: string;
  /** The tools it concerns. */
  readonly tools: readonly string[];
  /** The rule in words before and after; null where it was not there. */
  readonly before: string | null;
  readonly after: string | null;
  /** Ids of the rule in the old and in the new pack. */
  readonly oldRule: string | null;
  readonly newRule: string | null;
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
}
