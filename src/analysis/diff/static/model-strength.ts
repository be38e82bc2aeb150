import type { ModelRuleBody } from "../../../artifact/pack-rules.js";
import { parseProviderPattern } from "../../../base/provider-pattern.js";
import { canonicalFinishReason } from "../../../guard/model/finish-reason.js";

type Pattern = Extract<ModelRuleBody, { readonly kind: "provider_block" | "provider_warn" }>;
type Format = Extract<ModelRuleBody, { readonly kind: "response_format" }>;

function termsOf({ pattern }: Pattern): readonly string[] {
  const parsed = parseProviderPattern(pattern);
  return parsed.ok ? parsed.terms.map(({ text }) => text) : [pattern];
}

/** All terms of a pattern must match: with a subset of its terms it stops at least as much. */
export function isPatternAsStrong(after: Pattern, before: Pattern): boolean {
  const terms = termsOf(before);
  return after.provider === before.provider && termsOf(after).every((term) => terms.includes(term));
}

function finishOf({ demand }: Format): string | null {
  return demand.field === "finish_reason" ? canonicalFinishReason(demand.value) : null;
}

/** A demand is either the same or another one. */
export function isDemandAsStrong(after: Format, before: Format): boolean {
  return after.demand.field === before.demand.field && finishOf(after) === finishOf(before);
}
