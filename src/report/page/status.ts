import type { ClaimResult, RuleResult, ToolResult } from "../../analysis/verification.js";

/** A colour of a badge; what it says, the badge says in words too. */
export type Tone = "good" | "warn" | "bad" | "plain" | "accent";

type Words<S extends string> = Readonly<Record<S, readonly [tone: Tone, words: string]>>;

/** What is shown of a rule. */
export const RULE_STATUS: Words<RuleResult["status"]> = {
  fires: ["good", "shown to fire"],
  never_alone: ["plain", "only together with others"],
  cannot_fire: ["bad", "cannot fire"],
  not_shown: ["warn", "not shown to fire"],
};

/** What is shown of a tool. */
export const TOOL_STATUS: Words<ToolResult["status"]> = {
  allowed: ["good", "shown to be callable"],
  never_allowed: ["bad", "never allowed"],
  not_shown: ["warn", "not shown to be callable"],
};

/** What is shown of a claim. */
export const CLAIM_STATUS: Words<ClaimResult["status"]> = {
  holds: ["good", "holds"],
  holds_within_bound: ["warn", "holds as far as was explored"],
  violated: ["bad", "violated"],
};
