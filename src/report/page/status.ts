import type { ClaimResult, RuleResult, ToolResult } from "../../analysis/verification.js";

/** A colour of a badge; what it says, the badge says in words too. */
export type Tone = "good" | "warn" | "bad" | "plain" | "accent";

type Words<S extends string> = Readonly<Record<S, readonly [tone: Tone, words: string]>>;

/** What is shown of a rule. */
export const RULE_STATUS: Words<RuleResult["status"]> = {
  fires: ["good", "shown to fire"],
  never_alone: ["plain", "seen only together with others"],
  cannot_fire: ["bad", "proved never to fire"],
  not_shown: ["warn", "not shown to fire"],
};

/** What is shown of a tool. */
export const TOOL_STATUS: Words<ToolResult["status"]> = {
  allowed: ["good", "shown to be callable"],
  never_allowed: ["bad", "proved never to be allowed"],
  not_shown: ["warn", "not shown to be callable"],
};

/** What is shown of a claim. */
export const CLAIM_STATUS: Words<ClaimResult["status"]> = {
  proved: ["good", "proved"],
  no_counterexample: ["plain", "no counterexample found"],
  violated: ["bad", "violated"],
};
