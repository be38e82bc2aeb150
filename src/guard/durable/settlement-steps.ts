import type { Acknowledgement, SettleResult } from "../public.js";
import type { Step } from "../session/ledger.js";
import type { Outcome } from "../session/outcome.js";
import type { Session } from "../session/session.js";
import { type Settlement, type Settling, settlementOf } from "../session/settlement.js";
import { settlementNote } from "./note.js";
import type { Recording } from "./recording.js";

/** Settles a call; where the session is stored, with the note that records it. */
export function settlementStep(
  settling: Omit<Settling, "kept"> & Required<Pick<Settling, "now">>,
  recording: Recording | null,
  callId: string,
  outcome: Outcome,
): Step<Settlement> {
  const kept = recording === null ? null : recording.output.bind(recording);
  const settlement = settlementOf({ ...settling, kept }, callId, outcome);
  const { event } = settlement;
  const step = { events: event === undefined ? [] : [event], result: settlement };
  return recording === null ? step : { ...step, note: settlementNote(callId, outcome, settlement) };
}

/** Records what somebody found out about a late result; a refusal changes nothing. */
export function acknowledgementStep(
  { late }: Session,
  callId: string,
  { by, why, happened }: Acknowledgement,
): Step<SettleResult> {
  const note = { operator: { by, why } };
  if (!late.has(callId)) return { events: [], result: { accepted: false, reason: "no_late_result" }, note };
  return { events: [{ kind: "late_result_acknowledged", callId, happened }], result: { accepted: true }, note };
}
