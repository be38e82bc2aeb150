import type { CompiledTool } from "../../artifact/compiled.js";
import type { SettlementRefusal } from "../../artifact/run-time-codes.js";
import { sharingBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import { judgeOutput, notJson, presentReferences } from "../decide/judge-output.js";
import type { Program } from "../program/program.js";
import type { ToolEffects } from "../program/tool-effects.js";
import type { Violation } from "../public.js";
import { matchWithinShare } from "../values/match-pattern.js";
import { type PlainJson, plainJson } from "../values/plain-json.js";
import type { Call } from "./call.js";
import type { Ending, ErrorSign, SessionEvent } from "./event.js";
import { type Failure, type Outcome, statusClass } from "./outcome.js";
import { type Session, unsettledCall } from "./session.js";

type SettledEvent = SessionEvent & { readonly kind: "settled" };

/** The result of a settlement: refused, or an event, perhaps with a violation. */
export type Settlement =
  | {
      readonly accepted: false;
      readonly reason: SettlementRefusal;
      /** A result that came too late, which has to be known. */
      readonly event?: SessionEvent & { readonly kind: "late_result" };
    }
  | {
      readonly accepted: true;
      readonly event: SettledEvent;
      readonly violation: Violation | null;
    };

type AllowedError = CompiledTool["allowed_errors"][number];

function matchesStatus(expected: string, status: number | undefined): boolean {
  if (status === undefined) return false;
  return expected === String(status) || expected === statusClass(status);
}

/** The entries of `allowed_errors` that match this error in all their keys. A timeout is not an answer. */
function expectedErrors(compiled: CompiledTool | null, outcome: Outcome): readonly AllowedError[] {
  if (outcome.kind !== "error") return [];
  const entries = compiled?.allowed_errors ?? [];
  return sharingBudget(() => matchingErrors(entries, outcome));
}

function matchingErrors(
  entries: readonly AllowedError[],
  outcome: Outcome & { readonly kind: "error" },
): readonly AllowedError[] {
  return entries.filter(({ status, code, message, outcome: declared }) => {
    if (status !== null && !matchesStatus(status, outcome.status)) return false;
    if (code !== null && code !== outcome.code) return false;
    if (message === null) return true;
    if (outcome.message === undefined) return false;
    // A match that cannot be judged must not release a call: it counts only for an entry with outcome `unknown`.
    return matchWithinShare(message, outcome.message) ?? declared === "unknown";
  });
}

/**
 * A call is released only with proof that it did not happen: it was never sent, the contract says so for this error, or the tool or
 * its server refused it. A code is not proof: clients, drivers and aborted signals have codes of their own.
 */
function endingOfError(outcome: Outcome & { readonly kind: "error" }, expected: readonly AllowedError[]): Ending {
  if (outcome.sent === false) return "released";
  const declared = expected.find((entry) => entry.outcome !== null)?.outcome;
  if (declared !== undefined) return declared === "not_executed" ? "released" : "indeterminate";
  const { status = 0, answered } = outcome;
  return answered === true || (status >= 400 && status < 500 && status !== 408) ? "released" : "indeterminate";
}

/** Whether an attempt with this outcome may have had its effect. */
export function leavesEffectUnknown(compiled: CompiledTool | null, outcome: Failure): boolean {
  if (outcome.kind === "timeout") return outcome.sent !== false;
  return endingOfError(outcome, expectedErrors(compiled, outcome)) === "indeterminate";
}

/** What a settlement is judged against. */
export interface Settling {
  readonly program: Program;
  readonly session: Session;
  /** The clock, for rules on outputs that read the time. */
  readonly now: () => number;
  /** False in log-only mode: outputs are recorded, not judged. */
  readonly judges: boolean;
  /** A copy of the output from when it was reported; without it the output is copied when it is judged. */
  readonly copied?: PlainJson | undefined;
  /** What the event keeps of an output; all of it, if this is null. */
  readonly kept?: ((tool: ToolEffects, output: Json) => Json) | null;
}

/** A copy of an output; no output counts as null. */
export function copyOfOutput(raw: unknown): PlainJson {
  return plainJson(raw === undefined ? null : raw);
}

interface Judged {
  readonly ending: Ending;
  readonly sign: ErrorSign;
  readonly output?: Json;
  readonly violation?: Violation | null;
}

function judgeResult({ program, session, judges, copied, now }: Settling, call: Call, raw: unknown): Judged {
  const plain = copied ?? copyOfOutput(raw);
  if (!plain.ok) return { ending: "violated", sign: "error", violation: notJson(plain) };
  const output = plain.value;
  const violation = judges
    ? judgeOutput(
        {
          program,
          tool: call.tool,
          references: presentReferences(session, call.id),
          call: { args: call.args, labels: session.labels, now },
        },
        output,
      )
    : null;
  return violation === null
    ? { ending: "committed", sign: "success", output }
    : { ending: "violated", sign: "error", violation };
}

/** An output that comes later is judged like any other; learning that the call happened is neither a success nor an error. */
function judgeHappened(settling: Settling, call: Call, raw: unknown): Judged {
  if (raw === undefined) return { ending: "committed", sign: "neither" };
  const judged = judgeResult(settling, call, raw);
  return judged.ending === "committed" ? { ...judged, sign: "neither" } : judged;
}

function judgeOutcome(settling: Settling, call: Call, outcome: Outcome): Judged {
  const expected = expectedErrors(call.tool.compiled, outcome);
  const sign: ErrorSign = expected.length === 0 ? "error" : "neither";
  switch (outcome.kind) {
    case "result":
      return judgeResult(settling, call, outcome.output);
    case "error":
      return { ending: endingOfError(outcome, expected), sign };
    case "timeout":
      return { ending: outcome.sent === false ? "released" : "indeterminate", sign };
    case "happened":
      return judgeHappened(settling, call, outcome.output);
    case "did_not_happen":
      return { ending: "released", sign: "neither" };
  }
}

/** A read with unknown outcome changed nothing; a commit at dispatch is never undone. */
function finalEnding(call: Call, ending: Ending): Ending {
  if (call.tool.commitsAtDispatch) return ending === "violated" ? "violated" : "committed";
  return ending === "indeterminate" && call.tool.isRead ? "released" : ending;
}

function wasIssued({ issued, approval }: Session, callId: unknown): boolean {
  if (typeof callId !== "string") return false;
  const serial = /^call_([1-9][0-9]*)$/.exec(callId)?.[1];
  return serial !== undefined && Number(serial) <= issued && approval?.callId !== callId;
}

/** Literals, no spread: that would give each event a hidden class of its own and slow all events down. */
function settledEvent(callId: string, ending: Ending, sign: ErrorSign, output: Json | undefined): SettledEvent {
  return output === undefined
    ? { kind: "settled", callId, ending, sign }
    : { kind: "settled", callId, ending, sign, output };
}

/** Turns the outcome of a call into an event. Pure: only the event changes the session. */
export function settlementOf(settling: Settling, callId: string, outcome: Outcome): Settlement {
  const { session } = settling;
  const call = unsettledCall(session, callId);
  if (call === undefined) return tooLate(session, callId, outcome);
  const isResolution = outcome.kind === "happened" || outcome.kind === "did_not_happen";
  if (call.status === "indeterminate" && !isResolution) return refused("outcome_is_open");
  if (call.tool.commitsAtDispatch && outcome.kind === "did_not_happen") return refused("committed_at_dispatch");
  const { ending, sign, output, violation = null } = judgeOutcome(settling, call, outcome);
  const { kept = null } = settling;
  const stored = kept === null || output === undefined ? output : kept(call.tool, output);
  const event = settledEvent(callId, finalEnding(call, ending), sign, stored);
  const isDenied = outcome.kind === "did_not_happen";
  return { accepted: true, event: isDenied ? { ...event, isDenied } : event, violation };
}

/** A result of a call that was settled as not happened is recorded: its effect may have happened. */
function tooLate(session: Session, callId: string, outcome: Outcome): Settlement {
  const isLate = outcome.kind === "result" && session.denied.has(callId);
  if (!isLate) return refused(wasIssued(session, callId) ? "already_settled" : "unknown_call");
  if (session.late.has(callId)) return refused("already_settled");
  return { accepted: false, reason: "already_settled", event: { kind: "late_result", callId } };
}

function refused(reason: SettlementRefusal): Settlement {
  return { accepted: false, reason };
}
