import type { Place } from "../artifact/compiled-value.js";
import type { GuardEvents, Verdict } from "./public.js";
import type { Settlement } from "./session/settlement.js";

/** What listeners are told of a verdict. Fields are picked one by one: `found`, `context` and hints may hold arguments. */
export function toldDecision(tool: string | null, verdict: Verdict): GuardEvents["decision"] {
  const { kind } = verdict;
  if (kind === "block") return { tool, kind, reason: verdict.reason, rule: copyOf(verdict.rule) };
  const { callId } = verdict;
  const would = kind === "allow" ? verdict.would : undefined;
  if (would === undefined) return { tool, kind, callId };
  if (would.kind === "block") return { tool, kind, callId, would: would.reason, rule: copyOf(would.rule) };
  return { tool, kind, callId, rules: would.rules.map((rule) => ({ ...rule })) };
}

/** Listeners get places of their own: what they do to them is not what the caller is told. */
function copyOf(place: Place | null | undefined): Place | null {
  return place === undefined || place === null ? null : { ...place };
}

/** What listeners are told of a settlement; what an output broke, but nothing that was found in it. */
export function toldSettlement(callId: string, settlement: Settlement): GuardEvents["settled"] {
  if (!settlement.accepted) return { callId, accepted: false, reason: settlement.reason };
  const { event, violation } = settlement;
  const told = { callId, accepted: true, ending: event.ending };
  return violation === null ? told : { ...told, reason: violation.reason, rule: copyOf(violation.rule) };
}
