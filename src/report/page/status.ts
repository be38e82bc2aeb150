import type { ClaimResult, RuleResult, ToolResult } from "../../analysis/verification.js";

/** The colour of a badge; its text has the same meaning. */
export type Tone = "good" | "warn" | "bad" | "plain" | "accent";

type Words<S extends string> = Readonly<Record<S, readonly [tone: Tone, words: string]>>;

/** The badge for each status of a rule. */
export const RULE_STATUS: Words<RuleResult["status"]> = {
  fires: ["good", "shown to fire"],
  never_alone: ["plain", "seen only together with others"],
  cannot_fire: ["bad", "proved never to fire"],
  not_shown: ["warn", "not shown to fire"],
};

/** The badge for each status of a tool. */
export const TOOL_STATUS: Words<ToolResult["status"]> = {
  allowed: ["good", "shown to be callable"],
  never_allowed: ["bad", "proved never to be allowed"],
  not_shown: ["warn", "not shown to be callable"],
};

/** The badge for each status of a claim. */
export const CLAIM_STATUS: Words<ClaimResult["status"]> = {
  proved: ["good", "proved"],
  no_counterexample: ["plain", "no counterexample found"],
  violated: ["bad", "violated"],
};
