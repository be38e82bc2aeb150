import type { Json } from "../../base/json.js";
import type { Note } from "../../guard/durable/note.js";
import type { Program } from "../../guard/program/program.js";
import type { ToolEffects } from "../../guard/program/tool-effects.js";
import type { SessionEvent } from "../../guard/session/event.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { type Session, unsettledCall } from "../../guard/session/session.js";
import { type Settlement, settlementOf } from "../../guard/session/settlement.js";
import { isEqual, type Judged } from "./judged-step.js";

type SettledEvent = SessionEvent & { readonly kind: "settled" };
type RecordedSettlement = NonNullable<Note["settlement"]>;

/** The outcomes that a record may stand for: of errors it does not say what they proved. */
function outcomesOf(kind: Outcome["kind"], output: Json | undefined): readonly Outcome[] {
  switch (kind) {
    case "result":
      return [{ kind, output: output ?? null }];
    case "happened":
      return [output === undefined ? { kind } : { kind, output }];
    case "did_not_happen":
      return [{ kind }];
    case "error":
    case "timeout":
      return [{ kind }, { kind, sent: false }];
    default:
      return [];
  }
}

function isSameEnding(recorded: SettledEvent, { event }: Settlement, kind: Outcome["kind"]): boolean {
  if (event?.kind !== "settled" || event.callId !== recorded.callId) return false;
  if (event.isDenied !== recorded.isDenied) return false;
  // Which errors the contract expects is judged by their codes and messages, which are not stored.
  const isSameSign = kind === "error" ? recorded.sign !== "success" : event.sign === recorded.sign;
  return event.ending === recorded.ending && isSameSign;
}

/** The reasons for rejecting an output. */
const VIOLATIONS: ReadonlySet<unknown> = new Set([
  "output_not_json",
  "output_invariant_failed",
  "guarantee_failed",
  "output_stage_violated",
  "unjudgeable_cost",
]);

const DIFFERENT: Judged = { kind: "different", what: "settles the call otherwise than when decided again" };

function hasOutputRules({ compiled, stages }: ToolEffects): boolean {
  const hasOwn = (compiled?.output_invariants.length ?? 0) > 0 || compiled?.ensures !== undefined;
  return hasOwn || stages.some(({ stage }) => stage.source === "output");
}

/** A settlement that was refused: nothing but a late result is recorded of it. */
function judgeRefused(
  { accepted, reason }: RecordedSettlement,
  events: readonly SessionEvent[],
  decided: Settlement & { readonly accepted: false },
): Judged {
  const late = decided.event === undefined ? [] : [decided.event];
  const isSame = !accepted && reason === decided.reason && isEqual(events, late);
  return isSame ? { kind: "same", unjudged: [] } : DIFFERENT;
}

/** Decides again whether a settlement is accepted, and how the call ends. */
export function judgeSettlement(
  program: Program,
  session: Session,
  recorded: RecordedSettlement,
  events: readonly SessionEvent[],
): Judged {
  const { callId, outcome, accepted, reason } = recorded;
  const [event, ...others] = events;
  const settled = event?.kind === "settled" ? event : null;
  // Without judging outputs nothing reads the time.
  const settling = { program, session, judges: false, kept: null, now: () => 0 };
  const decided = outcomesOf(outcome, settled?.output).map((each) => settlementOf(settling, callId, each));
  const [first] = decided;
  const call = unsettledCall(session, callId);
  if (first?.accepted === false) return judgeRefused(recorded, events, first);
  if (!accepted || settled === null || others.length > 0 || call === undefined) return DIFFERENT;
  const isJudged = (outcome === "result" || outcome === "happened") && hasOutputRules(call.tool);
  if (settled.ending === "violated") {
    const isPossible =
      VIOLATIONS.has(reason) && settled.callId === callId && (isJudged || reason === "output_not_json");
    return isPossible ? { kind: "skipped", why: "output" } : DIFFERENT;
  }
  const isSame = reason === undefined && decided.some((each) => isSameEnding(settled, each, outcome));
  return isSame ? { kind: "same", unjudged: isJudged ? ["output"] : [] } : DIFFERENT;
}
