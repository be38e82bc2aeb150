import { isSamePlace, type Place } from "../../artifact/compiled-value.js";
import type { PackRule, PackRules } from "../../artifact/pack-rules.js";
import type { Replayed } from "./replay.js";
import type { TraceStep } from "./trace.js";

/** Whether a call was made without an answered approval. */
export function isUnasked({ verdict, outcome }: TraceStep & { readonly kind: "call" }): boolean {
  if (outcome === null) return false;
  return verdict.kind === "allow" || (verdict.kind === "approval" && verdict.isUnanswered === true);
}

/** Whether the last step shows a rule act, possibly with others: of a check's rules, the guard names only the first. */
export function showsAmong(rule: PackRule, { trace, refusals }: Replayed, rules: PackRules): boolean {
  const last = trace.steps.at(-1);
  if (last?.kind !== "call") return false;
  const { kind } = rule.body;
  if (kind === "output_invariant" || kind === "ensures" || kind === "output_stage")
    return last.outcome?.kind === "violated";
  const places = last.verdict.kind === "approval" ? last.verdict.rules : refusals;
  return rules.sharing(rule).some((other) => places.some((place) => isSamePlace(place, other.at)));
}

/** Whether a step is a refused call. */
export function isRefused(step: TraceStep | undefined): boolean {
  return step?.kind === "call" && step.verdict.kind === "block";
}

/** Whether the last step of a session shows that the rule acts alone. */
export function shows({ at, body }: PackRule, { trace, refusals }: Replayed): boolean {
  const last = trace.steps.at(-1);
  if (last?.kind !== "call") return false;
  const isAt = (place: Place | null) => isSamePlace(place, at);
  switch (body.kind) {
    case "output_invariant":
    case "ensures":
    case "output_stage":
      return last.outcome?.kind === "violated" && isAt(last.outcome.rule);
    case "checkpoint":
      return last.verdict.kind === "approval" && last.verdict.rules.length === 1 && last.verdict.rules.some(isAt);
    case "circuit_breaker":
      return last.verdict.kind === "block" && last.verdict.reason === "session_killed";
    default:
      // A rule that is written twice on one line, or repeated by an alias, is one rule; the guard lists each of its checks.
      return last.verdict.kind === "block" && isAt(last.verdict.rule) && refusals.every(isAt);
  }
}
