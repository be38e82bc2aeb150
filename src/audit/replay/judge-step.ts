import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { Decisions } from "../../guard/decide/decisions.js";
import type { Unjudgeable } from "../../guard/decide/proposals.js";
import { block } from "../../guard/decide/verdict.js";
import { neededFields } from "../../guard/durable/needed-fields.js";
import type { Note, RecordedVerdict } from "../../guard/durable/note.js";
import { Recording, recordedStep, recordedVerdict } from "../../guard/durable/recording.js";
import { proposalOf } from "../../guard/program/proposal.js";
import type { RecordedAnswer, Verdict } from "../../guard/public.js";
import type { ResolvedOptions } from "../../guard/resolved-options.js";
import type { Seat } from "../../guard/seat.js";
import { digestOf } from "../../guard/session/call-digest.js";
import type { SessionEvent } from "../../guard/session/event.js";
import type { Step } from "../../guard/session/ledger.js";
import { type PendingApproval, waitingCall } from "../../guard/session/pending-approval.js";
import { type Session, unsettledCall } from "../../guard/session/session.js";
import { judgeSettlement } from "./judge-settlement.js";
import { type Gap, gapOf, type JudgedProgram, type JudgedPrograms, type JudgedTool } from "./judged-program.js";
import { compared, type Judged } from "./judged-step.js";
import { isDecision, isOfSeveral, isReservedReduced, type RecordedStep } from "./recorded-step.js";
import type { Why } from "./skipped.js";
import { withoutRules } from "./workflow-history.js";

/** A call as it was recorded. */
interface StoredCall {
  readonly args: JsonObject;
  /** Absent if the arguments could not be judged. */
  readonly digest?: string;
  readonly key?: string;
}

type Asked = Note & { readonly verdict: RecordedVerdict };

const FORGED: Judged = { kind: "different", what: "has a note that no guard writes" };

function objectOf(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function requestIn(events: readonly SessionEvent[]): PendingApproval | null {
  const event = events.find(({ kind }) => kind === "approval_requested");
  return event?.kind === "approval_requested" ? event.request : null;
}

/** The verdict that the rules led to; in shadow mode the one that was not enforced. */
function judgedVerdict({ verdict }: Asked): RecordedVerdict {
  return verdict.would ?? verdict;
}

/** Decides the steps of one session again. */
export class StepJudge {
  constructor(
    private readonly sessionId: string,
    private readonly programs: JudgedPrograms,
    private readonly session: Session,
    /** The place in a workflow at the moment of a verdict; null without one. */
    private readonly seat: Seat | null,
  ) {}

  /** Decides a step again in the state before it. The session is not changed. */
  judge(step: RecordedStep): Judged {
    try {
      return this.decided(step);
    } catch {
      // Whoever wrote the log may have put anything into a note.
      return FORGED;
    }
  }

  private decided(step: RecordedStep): Judged {
    const { note, events } = step;
    if (isOfSeveral(note)) return FORGED;
    if (note?.settlement !== undefined) {
      return judgeSettlement(this.programs.whole, this.session, note.settlement, events);
    }
    const { verdict } = note ?? {};
    if (note === null || verdict === undefined) {
      return isDecision(events) ? { kind: "different", what: "has no verdict" } : { kind: "none" };
    }
    const asked = { ...note, verdict };
    const program = this.programs.for(note.principal);
    if (note.call !== undefined) return this.proposal(step, asked, program);
    if (note.answer !== undefined) return this.approval(step, asked, program, note.answer.approvalId);
    if (note.resumed !== undefined) return this.approval(step, asked, program, note.resumed);
    if (note.step === true) {
      const decided = this.decisions(step, asked, program, null).beginStep(this.session);
      const { would, ...is } = recordedStep(decided.result);
      // Guards did not always record what enforce mode would have said to a step.
      const all = would === undefined || verdict.would === undefined ? is : { ...is, would };
      return compared({ verdict, events }, { verdict: all, events: decided.events }, []);
    }
    return { kind: "different", what: "has a verdict on nothing" };
  }

  private proposal(step: RecordedStep, asked: Asked, program: JudgedProgram): Judged {
    const { call } = asked;
    const name = call?.tool ?? null;
    if (name === null) {
      const refused = this.decisions(step, asked, program, null).unnamed(this.session);
      return this.compare(step, asked, { events: [], result: refused });
    }
    const stored = this.storedCall(step, asked);
    const refusal = unjudgeableIn(asked, name, stored);
    if (refusal !== null) {
      const decisions = this.decisions(step, asked, program, null);
      const same = this.compare(step, asked, decisions.propose(this.session, name, refusal, stored.key));
      return same.kind === "same" ? { kind: "skipped", why: "arguments" } : same;
    }
    const isReduced = digestOf({ tool: name, args: stored.args }) !== stored.digest;
    return this.judgedCall(step, asked, program, { name, stored, isReduced });
  }

  private judgedCall(
    step: RecordedStep,
    asked: Asked,
    program: JudgedProgram,
    { name, stored, isReduced }: { readonly name: string; readonly stored: StoredCall; readonly isReduced: boolean },
  ): Judged {
    const judged = program.tool(name, isReduced);
    const verdict = judgedVerdict(asked);
    const decide = (tool: JudgedTool["tool"], seat = this.seat) => {
      const { args, digest } = stored;
      const proposal = { ...proposalOf(tool, args), ...(digest === undefined ? {} : { digest }) };
      return this.decisions(step, asked, program, isReduced, seat).propose(this.session, name, proposal, stored.key);
    };
    // The workflow judges a call after all rules of the session.
    const decideBefore = ({ before }: Gap) => decide(before, this.seat === null ? null : withoutRules(this.seat));
    if (verdict.reason === "unjudgeable_cost" && (isReduced || judged.gaps.length > 0)) {
      return { kind: "skipped", why: "cost" };
    }
    // A repeated answer follows from the key of the call alone: it is judged by no rule, and records nothing.
    if (asked.verdict.repeated === true) return this.compare(step, asked, decide(judged.tool));
    const gap = gapOf(judged, verdict);
    if (gap !== undefined) return this.unlessRefused(step, asked, decideBefore(gap), gap.why);
    const isAtCheckpoint = verdict.kind !== "block" || verdict.reason === "approval_denied";
    const { checkpointGap } = judged;
    if (checkpointGap !== null && isAtCheckpoint && asked.mode !== "log-only") {
      return this.unlessRefused(step, asked, decide({ ...judged.tool, checkpoints: [] }), checkpointGap);
    }
    // A refusal ends the judgement: what comes after it did not matter.
    const mattered = judged.gaps.filter((each) => verdict.kind !== "block" || !isRefusal(decideBefore(each)));
    return this.compare(step, asked, decide(judged.tool), whysOf(mattered));
  }

  /** What comes before a rule that cannot be judged must not have refused the call. */
  private unlessRefused(step: RecordedStep, asked: Asked, decided: Step<Verdict>, why: Why): Judged {
    if (!isRecordedBy(asked.verdict, step.events)) {
      return { kind: "different", what: "records something else than its verdict" };
    }
    return isRefusal(decided) ? this.compare(step, asked, decided) : { kind: "skipped", why };
  }

  private approval(step: RecordedStep, asked: Asked, program: JudgedProgram, approvalId: string): Judged {
    const { approval, resumable } = this.session;
    const request = approval?.id === approvalId ? approval : resumable.get(approvalId);
    const isReduced =
      request?.digest !== undefined && digestOf({ tool: request.tool, args: request.args }) !== request.digest;
    const judged = request === undefined ? null : program.tool(request.tool, false);
    const verdict = judgedVerdict(asked);
    const gap = judged === null || verdict.kind !== "block" ? undefined : gapOf(judged, verdict);
    if (gap !== undefined) return { kind: "skipped", why: gap.why };
    if (isReduced && verdict.reason === "unjudgeable_cost") return { kind: "skipped", why: "cost" };
    const { approvals } = this.decisions(step, asked, program, isReservedReduced(step) ?? isReduced);
    const { answer } = asked;
    const { by, note } = answer ?? {};
    const fields = { ...(by === undefined ? {} : { by }), ...(note === undefined ? {} : { note }) };
    const decided: Step<Verdict | RecordedAnswer> =
      answer === undefined
        ? approvals.resume(this.session, approvalId)
        : approvals.answer(this.session, approvalId, answer.end, fields);
    const isAllowed = decided.result.kind === "allow" && decided.result.repeated !== true;
    const unjudged = judged === null || !isAllowed ? [] : whysOf(judged.gaps);
    const same = this.compare(step, asked, decided, unjudged);
    return same.kind === "different" && isUnrecordedEnd(step, verdict)
      ? { kind: "skipped", why: "unrecorded_answer" }
      : same;
  }

  private compare(
    { events }: RecordedStep,
    { verdict }: Asked,
    decided: Step<Verdict | RecordedAnswer>,
    unjudged: readonly Why[] = [],
  ): Judged {
    return compared(
      { verdict, events },
      { verdict: recordedVerdict(decided.result), events: decided.events },
      unjudged,
    );
  }

  /** The call of a proposal: in its event, in its note, or, if it was repeated, where it was first. */
  private storedCall({ events }: RecordedStep, { call, verdict }: Asked): StoredCall {
    const reserved = events.find(({ kind }) => kind === "reserved");
    const made = reserved?.kind === "reserved" ? reserved : requestIn(events);
    if (made !== null) return storedCallOf(objectOf(made.args), made.digest, made.key);
    const { fields, digest, key } = call ?? {};
    const callId = verdict.repeated === true ? (verdict.callId ?? "") : "";
    const first = waitingCall(this.session, callId) ?? unsettledCall(this.session, callId);
    return storedCallOf(objectOf(fields ?? first?.args), digest, key);
  }

  private decisions(
    { at, guard, events }: RecordedStep,
    { verdict, call, ...how }: Asked,
    { program }: JudgedProgram,
    isReduced: boolean | null,
    seat = this.seat,
  ): Decisions {
    const request = requestIn(events);
    const { mode, unmatched }: Pick<ResolvedOptions, "mode" | "unmatched"> = {
      mode: how.mode ?? "enforce",
      unmatched: how.unmatched ?? "block",
    };
    const judged = verdict.would ?? verdict;
    // Without an approver a checkpoint denies; only then is a proposal denied.
    const lacksApprover = call !== undefined && judged.kind === "block" && judged.reason === "approval_denied";
    const clock = { now: () => at };
    const { sessionId } = this;
    const needed = isReduced === true ? neededFields(program) : null;
    const options: ResolvedOptions = {
      ...{ sessionId, principal: program.principal, mode, unmatched, clock, guardId: guard },
      approver: lacksApprover ? undefined : "manual",
      requester: request?.requester ?? null,
      approvals: { quorum: request?.needed ?? 1, notRequester: request?.notRequester ?? true },
      recording: new Recording({ sessionId, principal: program.principal, clock, needed, mode, unmatched }),
      seat,
    };
    return new Decisions(program, options);
  }
}

function storedCallOf(args: JsonObject, digest: string | undefined, key: string | undefined): StoredCall {
  return { args, ...(digest === undefined ? {} : { digest }), ...(key === undefined ? {} : { key }) };
}

/** The refusal of arguments that could not be judged, of which nothing is stored; null if they could be. */
function unjudgeableIn(asked: Asked, tool: string, { args, digest }: StoredCall): Unjudgeable | null {
  const { reason, rule } = judgedVerdict(asked);
  const isOther = reason === "unjudgeable_cost" && rule === undefined;
  if (reason !== "arguments_not_json" && !isOther) return null;
  const isEmpty = Object.keys(args).length === 0 && (digest === undefined || digest === digestOf({ tool, args }));
  if (isOther && !isEmpty) return null;
  // Outside enforce mode only what could not be copied is refused.
  return { ...block(reason, null, "", ""), isCopied: asked.verdict.kind !== "block", digest: digest ?? null };
}

function whysOf(gaps: readonly Gap[]): readonly Why[] {
  return [...new Set(gaps.map(({ why }) => why))];
}

/** Whether a call is refused, or would be in enforce mode. */
function isRefusal({ result }: Step<Verdict>): boolean {
  return result.kind === "block" || (result.kind === "allow" && result.would !== undefined);
}

/** Whether the events are of the kind that such a verdict leads to. */
function isRecordedBy({ kind }: RecordedVerdict, events: readonly SessionEvent[]): boolean {
  const has = (event: SessionEvent["kind"]) => events.some((each) => each.kind === event);
  return has("reserved") === (kind === "allow") && has("approval_requested") === (kind === "approval_required");
}

/** Answers that this guard was given hold at once, and are recorded when the store answers. */
function isUnrecordedEnd({ events }: RecordedStep, { kind, reason, rule }: RecordedVerdict): boolean {
  const isEnd = reason === "approval_denied" || reason === "approval_withdrawn";
  return events.length === 0 && kind === "block" && isEnd && rule === undefined;
}
