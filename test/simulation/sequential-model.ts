import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../src/base/json.js";
import { Decisions } from "../../src/guard/decide/decisions.js";
import { neededFields } from "../../src/guard/durable/needed-fields.js";
import type { Note, RecordedVerdict } from "../../src/guard/durable/note.js";
import { Recording } from "../../src/guard/durable/recording.js";
import type { Program } from "../../src/guard/program/program.js";
import type { RecordedAnswer, Verdict } from "../../src/guard/public.js";
import type { ResolvedOptions } from "../../src/guard/resolved-options.js";
import type { SessionEvent } from "../../src/guard/session/event.js";
import type { Step } from "../../src/guard/session/ledger.js";
import { type Session, unsettledCall } from "../../src/guard/session/session.js";
import type { Plan } from "./plan.js";
import type { Registry } from "./registry.js";
import { must } from "./violation.js";

/** One append, as the log has it. */
export interface Entry {
  readonly guard: string;
  readonly at: number;
  readonly events: readonly SessionEvent[];
  readonly note: Note | null;
}

/** The name that all guards of a session ask under. */
export const REQUESTER = "agent";

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/**
 * Decides everything again, one after the other, in the order of the log. If the guards, deciding side by side, gave the verdicts that
 * one guard alone would have given in this order, their history is linearizable.
 */
export class SequentialModel {
  private readonly needed;

  constructor(
    private readonly program: Program,
    private readonly sessionId: string,
    private readonly plan: Plan,
    private readonly registry: Registry,
  ) {
    this.needed = plan.storeArguments === "all" ? null : neededFields(program);
  }

  /** Compares an entry with what is decided at its place. `before` is the state there. */
  check(before: Session, entry: Entry): void {
    const decided = this.decide(before, entry);
    if (decided === null) return;
    const { note, events } = entry;
    const [verdict, expected] = [note?.verdict, decided.result];
    const isSame = verdict !== undefined && isVerdict(verdict, expected);
    must(isSame, "the history is linearizable", () => `recorded ${text(verdict)}, decided ${text(expected)}`);
    must(
      isDeepStrictEqual(plain(events), plain(decided.events)),
      "the history is linearizable",
      () => `recorded ${text(events)}, decided ${text(decided.events)}`,
    );
  }

  private decide(session: Session, { guard, at, note, events }: Entry): Step<Verdict | RecordedAnswer> | null {
    if (note === null) return null;
    const decisions = this.decisions(guard, at);
    if (note.call !== undefined) return this.propose(decisions, session, note, events);
    if (note.answer !== undefined) return answer(decisions, session, note.answer, note.verdict);
    if (note.settlement !== undefined) settlement(session, note.settlement);
    if (note.verdict === undefined) return null;
    const ended = events.find(({ kind }) => kind === "approval_ended");
    if (ended?.kind === "approval_ended") return decisions.approvals.resume(session, ended.approvalId);
    return null;
  }

  private propose(
    decisions: Decisions,
    session: Session,
    { call, verdict }: Note,
    events: readonly SessionEvent[],
  ): Step<Verdict> | null {
    const tool = call?.tool ?? null;
    if (tool === null) return { events: [], result: decisions.unnamed(session) };
    const digest = call?.digest ?? digestIn(events);
    const intent = this.registry.find(digest);
    const key = call?.key ?? keyIn(events);
    // Who asks again gets an answer that is not recorded in full.
    if (intent === undefined && verdict?.reason !== "arguments_not_json") {
      must(digest === undefined, "the log knows every call", () => `${tool} ${digest}`);
      return null;
    }
    const proposal = decisions.proposals.of(tool, intent === undefined ? "no object" : intent.args);
    return decisions.propose(session, tool, proposal, key);
  }

  private decisions(guardId: string, at: number): Decisions {
    const { sessionId, plan, needed } = this;
    const clock = { now: () => at };
    const options: ResolvedOptions = {
      ...{ sessionId, mode: plan.mode, unmatched: "block", approver: "manual", principal: null, clock, guardId },
      requester: REQUESTER,
      approvals: { quorum: plan.quorum, notRequester: true },
      recording: new Recording({ sessionId, principal: null, clock, needed }),
      seat: null,
    };
    return new Decisions(this.program, options);
  }
}

function answer(
  decisions: Decisions,
  session: Session,
  { approvalId, end, by, note }: NonNullable<Note["answer"]>,
  verdict: RecordedVerdict | undefined,
): Step<Verdict | RecordedAnswer> | null {
  // A guard that withdrew the request, or denied it, knows that before the log does.
  if (verdict?.reason === "approval_withdrawn") return null;
  const given = { ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) };
  return decisions.approvals.answer(session, approvalId, end, given);
}

/** Whether a settlement is accepted depends on its call alone. */
function settlement(session: Session, { callId, outcome, accepted, reason }: NonNullable<Note["settlement"]>): void {
  const call = unsettledCall(session, callId);
  const isResolution = outcome === "happened" || outcome === "did_not_happen";
  const isOpen = call !== undefined && (call.status === "running" || isResolution);
  const expected = isOpen && !(call.tool.commitsAtDispatch && outcome === "did_not_happen");
  must(accepted === expected, "the history is linearizable", () => `${callId} ${outcome}: ${accepted} ${reason}`);
}

function digestIn(events: readonly SessionEvent[]): string | undefined {
  for (const event of events) {
    if (event.kind === "reserved") return event.digest;
    if (event.kind === "approval_requested") return event.request.digest;
  }
  return undefined;
}

function keyIn(events: readonly SessionEvent[]): string | undefined {
  for (const event of events) {
    if (event.kind === "reserved") return event.key;
    if (event.kind === "approval_requested") return event.request.key;
  }
  return undefined;
}

function isVerdict(recorded: RecordedVerdict, verdict: Verdict | RecordedAnswer): boolean {
  if (recorded.kind !== verdict.kind) return false;
  if (verdict.kind === "recorded") return true;
  if (verdict.kind === "block") return recorded.reason === verdict.reason;
  return recorded.callId === verdict.callId && recorded.repeated === verdict.repeated;
}

function text(value: unknown): string {
  return JSON.stringify(value).slice(0, 600);
}
