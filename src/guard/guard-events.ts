import type { Place } from "../artifact/compiled-value.js";
import { becauseIn } from "./decide/verdict.js";
import type { GuardEvents, Verdict } from "./public.js";
import type { Settlement } from "./session/settlement.js";

/** The event for a verdict. Fields are picked one by one: `found`, `context` and hints may hold arguments. */
export function decisionEvent(tool: string | null, verdict: Verdict): GuardEvents["decision"] {
  const { kind } = verdict;
  if (kind === "block")
    return { tool, kind, reason: verdict.reason, rule: copyOf(verdict.rule), ...becauseIn(verdict) };
  const { callId } = verdict;
  if (verdict.repeated === true) return { tool, kind, callId, repeated: true };
  const would = kind === "allow" ? verdict.would : undefined;
  if (would === undefined) return { tool, kind, callId };
  if (would.kind === "block")
    return { tool, kind, callId, would: would.reason, rule: copyOf(would.rule), ...becauseIn(would) };
  return { tool, kind, callId, rules: would.rules.map((rule) => ({ ...rule })), ...becauseIn(would) };
}

/** A copy: listeners must not change what the caller gets. */
function copyOf(place: Place | null | undefined): Place | null {
  return place === undefined || place === null ? null : { ...place };
}

/** The event for a settlement: the rule that an output broke, but nothing of the output. */
export function settlementEvent(callId: string, settlement: Settlement): GuardEvents["settled"] {
  if (!settlement.accepted) return { callId, accepted: false, reason: settlement.reason };
  const { event, violation } = settlement;
  const common = { callId, accepted: true, ending: event.ending };
  if (violation === null) return common;
  return { ...common, reason: violation.reason, rule: copyOf(violation.rule), ...becauseIn(violation) };
}
