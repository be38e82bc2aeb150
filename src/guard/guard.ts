import type { Artifact } from "../artifact/compiled.js";
import { checkedAcknowledgement } from "./approvals/answer.js";
import { ApprovalRequests } from "./approvals/approval-requests.js";
import { Approvals } from "./approvals/approvals.js";
import { refusalOf } from "./approvals/pending-ends.js";
import { Decisions } from "./decide/decisions.js";
import type { Unjudgeable } from "./decide/proposals.js";
import { DecisionRecorder } from "./decision-recorder.js";
import { isArtifactChanged, KILL_MOVED, SETTLE_MOVED, SessionRefused } from "./durable/log-errors.js";
import { acknowledgementStep, settlementStep } from "./durable/settlement-steps.js";
import type { Guard } from "./guard-api.js";
import { decisionEvent, settlementEvent } from "./guard-events.js";
import { type GuardParts, guardParts } from "./guard-parts.js";
import { ledgerTimes } from "./ledger-times.js";
import { Listeners } from "./listeners.js";
import type { ModelRequest, ModelResponse, RequestVerdict, ResponseVerdict } from "./model/public.js";
import { judgeRequest } from "./model/request.js";
import { judgeResponse } from "./model/response.js";
import type { Program, Proposal } from "./program/program.js";
import { checkedWrapped, checkMembers, checkPresent } from "./proposed-call.js";
import type {
  Acknowledgement,
  Answer,
  ApprovalVerdict,
  BlockVerdict,
  GuardEvents,
  GuardOptions,
  ProposedCall,
  RecordedAnswer,
  SessionState,
  SettleResult,
  StepVerdict,
  UnsettledCall,
  Verdict,
  VisibleTools,
} from "./public.js";
import type { ResolvedOptions } from "./resolved-options.js";
import { checkedKey } from "./session/call-keys.js";
import type { SessionEvent } from "./session/event.js";
import type { Ledger, Step } from "./session/ledger.js";
import { checkedOutcome, NOT_SENT, type Outcome } from "./session/outcome.js";
import { type Session, unsettledCall } from "./session/session.js";
import { copyOfOutput, type Settlement } from "./session/settlement.js";
import { stateOf } from "./session/state.js";
import { BrokenSession, ExecutedButNotRecorded } from "./session/store-errors.js";
import { resolveLeftBehind, unsettledCalls } from "./unsettled-calls.js";
import type { PlainJson } from "./values/plain-json.js";
import type { Proposed } from "./wrap/call-host.js";
import type { ProxyCall, WrapOptions } from "./wrap/call-options.js";
import { CallsToSend } from "./wrap/calls-to-send.js";
import { GuardCallHost } from "./wrap/guard-call-host.js";
import { WrappedCalls } from "./wrap/wrap.js";

/** The guard of one session: decides, records, settles. */
export class SessionGuard implements Guard {
  private readonly listeners = new Listeners();
  private readonly decisions: Decisions;
  private readonly recorder: DecisionRecorder;
  private readonly approvals: Approvals;
  /** Null until it is needed: most guards have no such calls. */
  private sending: CallsToSend | null = null;
  private wrapped: WrappedCalls | null = null;
  private readonly requests: ApprovalRequests;
  /** Its workflow keeps it for those who listen. */
  private isKept = false;

  constructor(
    private readonly program: Program,
    private readonly ledger: Ledger,
    private readonly options: ResolvedOptions,
  ) {
    const { listeners } = this;
    const decisions = new Decisions(program, options);
    const release = (callId: string) => this.settle(callId, NOT_SENT);
    const stopAsking = () => this.approvals.stopAll();
    const recorder = new DecisionRecorder({ decisions, ledger, listeners, options, release, stopAsking });
    this.decisions = decisions;
    this.recorder = recorder;
    this.approvals = new Approvals({
      ...{ decisions: decisions.approvals, ledger, listeners, options, release },
      decided: (decide) => recorder.decided(decide),
      reported: (verdict) => recorder.reported(null, verdict),
      unlessKilled: (verdict) => recorder.unlessKilled(null, verdict),
      refused: (end) => recorder.refusal(refusalOf(end)),
    });
    this.requests = new ApprovalRequests({ approvals: this.approvals, ledger, listeners, options, recorder });
    options.seat?.onStatus(reportingKill(new WeakRef(recorder)), recorder);
  }

  get sessionId(): string {
    return this.options.sessionId;
  }

  get artifactHash(): string {
    return this.program.artifact.hash;
  }

  on<K extends keyof GuardEvents>(name: K, listener: (event: GuardEvents[K]) => void): () => void {
    // Whoever wants to know of a kill is told, even if nobody uses the guard any more.
    if (name === "killed" && !this.isKept) {
      this.isKept = true;
      this.options.seat?.onStatus(() => this.recorder.reportKill());
    }
    return this.listeners.on(name, listener);
  }

  async propose(call: ProposedCall): Promise<Verdict> {
    checkMembers(call);
    const { tool, args, callKey, wrapped } = call;
    const key = checkedKey(callKey);
    if (checkedWrapped(wrapped)) return this.toSend.propose(tool, args, key);
    if (typeof tool !== "string") return this.refuseUnnamed();
    // Copied before anything is awaited: later changes of the caller to its object must not change what is judged.
    const proposal = this.decisions.proposals.of(tool, args);
    // Awaited even where it is there at once: a kill that comes with the proposal still overtakes it.
    const decided = await this.recorder.decided((session) => this.proposed(session, tool, proposal, key));
    const reported = this.recorder.reported(tool, decided);
    const verdict = reported instanceof Promise ? await reported : reported;
    if (verdict.kind !== "approval_required" || verdict.repeated === true) return verdict;
    const asked = this.requests.report(verdict, tool, proposal);
    if (asked === null) return verdict;
    const answered = await asked;
    // The answer of an approver takes a while to get here: a kill may have overtaken it.
    return this.recorder.unlessKilled(tool, answered);
  }

  async settle(callId: string, outcome: Outcome): Promise<SettleResult> {
    const checked = checkedOutcome(outcome);
    // Copied before anything is awaited: later changes of the caller to its object must not change what is judged.
    return this.settleChecked(callId, checked, "output" in checked ? copyOfOutput(checked.output) : undefined);
  }

  private async settleChecked(callId: string, outcome: Outcome, copied: PlainJson | undefined): Promise<SettleResult> {
    this.sending?.forget(callId);
    const settled = await this.settled(callId, outcome, copied);
    this.recorder.reportKill();
    this.listeners.emit("settled", settlementEvent(callId, settled));
    if (!settled.accepted) return { accepted: false, reason: settled.reason };
    const { violation } = settled;
    if (violation === null) return { accepted: true };
    const rule = violation.rule === null ? null : { ...violation.rule };
    const { mode } = this.options;
    return {
      accepted: true,
      violation: mode === "enforce" ? { ...violation, rule } : { ...violation, rule, enforced: false },
    };
  }

  async acknowledge(callId: string, given: Acknowledgement): Promise<SettleResult> {
    const found = checkedAcknowledgement(given);
    return this.ledger.transact((session) => acknowledgementStep(session, callId, found));
  }

  unsettled(): readonly UnsettledCall[] {
    return unsettledCalls(this.sessionId, this.ledger.session);
  }

  approve(approvalId: string, answer: Answer): Promise<Verdict | RecordedAnswer> {
    return this.approvals.answer(approvalId, "approved", answer);
  }

  deny(approvalId: string, answer: Answer): Promise<Verdict | RecordedAnswer> {
    return this.approvals.answer(approvalId, "denied", answer);
  }

  async resume(approvalId: string): Promise<Verdict> {
    return this.toSend.resume(await this.approvals.resume(approvalId));
  }

  explain(call: ProposedCall): readonly BlockVerdict[] {
    checkPresent(call);
    const { tool, args } = call;
    const callKey = checkedKey(call.callKey);
    if (!this.ledger.isSound) return [this.recorder.fault(new BrokenSession())];
    return this.decisions.explain(this.ledger.session, tool, args, callKey);
  }

  checkRequest(given: ModelRequest): RequestVerdict {
    return judgeRequest(this.program.providers, this.options.mode, given);
  }

  checkResponse(given: ModelResponse): ResponseVerdict {
    const formats = (tool: string) => this.program.tools.get(tool)?.compiled?.response_format ?? null;
    return judgeResponse(formats, this.options.mode, given);
  }

  visibleTools(): VisibleTools {
    if (!this.ledger.isSound) return this.decisions.nothingVisible("guard_fault");
    return this.decisions.visibleTools(this.ledger.session);
  }

  state(): SessionState {
    const state = stateOf(this.program, this.ledger.session);
    return this.recorder.isKilled === state.killed ? state : { ...state, killed: true };
  }

  async beginStep(): Promise<StepVerdict> {
    const { recording } = this.options;
    const verdict = await this.recorder.decided((session) => {
      const step = this.decisions.beginStep(session);
      return recording === null ? step : { ...step, note: recording.step(step.result) };
    });
    this.recorder.reportKill();
    return verdict;
  }

  async recordCost(usd: number): Promise<void> {
    if (!Number.isFinite(usd) || usd < 0) throw new TypeError("a cost must be a finite number that is not negative");
    await this.record({ kind: "cost_recorded", usd });
  }

  async addLabel(label: string): Promise<void> {
    if (typeof label !== "string" || label === "") throw new TypeError("a label must be a string that is not empty");
    await this.record({ kind: "label_added", label });
  }

  async kill(why: string): Promise<void> {
    const recorded = this.ledger.kill(typeof why === "string" ? why : "no reason given");
    this.recorder.reportKill();
    try {
      await recorded;
    } catch (cause) {
      throw isArtifactChanged(cause) ? new SessionRefused(cause, KILL_MOVED) : cause;
    }
  }

  wrap(proxyCall: ProxyCall, options?: WrapOptions): ProxyCall {
    // Once for all: adapters wrap a function for each call.
    this.wrapped ??= this.wrappedCalls();
    return this.wrapped.wrap(proxyCall, options);
  }

  private wrappedCalls(): WrappedCalls {
    const { program, ledger, decisions, listeners, approvals } = this;
    const host = new GuardCallHost({
      ...{ program, ledger, decisions, listeners, approvals, options: this.options, toSend: this.toSend },
      propose: (tool, plain, callKey) => this.proposeCopied(tool, plain, callKey),
      settle: (callId, outcome, copied) => this.settleChecked(callId, outcome, copied),
      fault: (cause) => this.recorder.fault(cause),
    });
    return new WrappedCalls(host);
  }

  private get toSend(): CallsToSend {
    this.sending ??= new CallsToSend({
      approvals: this.approvals,
      propose: (tool, plain, key) => this.proposeCopied(tool, plain, key),
      unlessKilled: (verdict) => this.recorder.unlessKilled(null, verdict),
      isOver: (request) => isOver(this.ledger.session, request),
    });
    return this.sending;
  }

  /** Judges a call whose arguments were copied, or could not be. Does not wait for an approver. */
  private async proposeCopied(tool: unknown, plain: PlainJson, key: string | undefined): Promise<Proposed> {
    if (typeof tool !== "string") return { verdict: await this.refuseUnnamed(), asked: null };
    const proposal = this.decisions.proposals.ofCopied(tool, plain);
    // Waits from the decision on: an answer may come before the next line runs.
    const waiting = this.approvals.waiting();
    const decided = await this.recorder.decided((session) => {
      const step = this.proposed(session, tool, proposal, key);
      waiting.forAnswerTo(step.result);
      return step;
    });
    const verdict = await this.recorder.reported(tool, decided);
    waiting.forAnswerTo(verdict);
    if (verdict.kind !== "approval_required" || verdict.repeated === true) return { verdict, asked: null };
    return { verdict, asked: this.requests.report(verdict, tool, proposal) };
  }

  /** The decision on a proposal, and its note where it is recorded. */
  private proposed(session: Session, tool: string, proposal: Proposal | Unjudgeable, key?: string): Step<Verdict> {
    const step = this.decisions.propose(session, tool, proposal, key);
    const { recording } = this.options;
    return recording === null ? step : { ...step, note: recording.proposed(tool, proposal, step.result, key) };
  }

  /** Not counted: without a name it is no call of any tool. */
  private async refuseUnnamed(): Promise<BlockVerdict> {
    const { recording } = this.options;
    const refused = this.decisions.unnamed(this.ledger.session);
    const note = recording?.proposed(null, null, refused);
    const decided =
      note === undefined ? refused : await this.recorder.decided(() => ({ events: [], result: refused, note }));
    this.listeners.emit("decision", decisionEvent(null, decided));
    return decided;
  }

  /** Records the outcome of a call. The call is over, so the store gets more time and more attempts. */
  private async settled(callId: string, outcome: Outcome, copied: PlainJson | undefined): Promise<Settlement> {
    try {
      return await this.ledger.persist((session) => {
        const { recording, mode } = this.options;
        const now = () => this.options.clock.now();
        const settling = { program: this.program, session, judges: mode !== "log-only", copied, now };
        return settlementStep(settling, recording, callId, outcome);
      });
    } catch (cause) {
      // Whatever kept it from being recorded, the session being moved to another artifact too: the call was executed.
      if (outcome.kind !== "result") throw cause;
      const { output } = outcome;
      throw new ExecutedButNotRecorded(callId, { output, cause, ...(isArtifactChanged(cause) ? SETTLE_MOVED : {}) });
    }
  }

  private async record(event: SessionEvent): Promise<void> {
    await this.ledger.transact(() => ({ events: [event], result: undefined }));
    this.recorder.reportKill();
  }
}

/** Whether a request has ended without a call that may still be sent. */
function isOver(session: Session, { approvalId, callId }: ApprovalVerdict): boolean {
  const isOpen = session.approval?.id === approvalId || session.resumable.has(approvalId);
  return !isOpen && unsettledCall(session, callId) === undefined;
}

/** The workflow lives longer: it must not keep the guards of sessions that are attached again and again. */
function reportingKill(recorder: WeakRef<DecisionRecorder>): () => void {
  return () => recorder.deref()?.reportKill();
}

async function startedParts(artifact: Artifact | null, options: GuardOptions): Promise<GuardParts> {
  try {
    return await guardParts(artifact, options, { isAlone: true });
  } catch (cause) {
    throw isArtifactChanged(cause) ? new SessionRefused(cause) : cause;
  }
}

/**
 * Makes the guard of one session. It does not start on an artifact that it cannot trust, or without a principal that it needs.
 * Null is the artifact of a pack with errors.
 */
export async function createGuard(artifact: Artifact | null, options: GuardOptions = {}): Promise<Guard> {
  const { program, ledger, options: resolved, resolver } = await startedParts(artifact, options);
  const guard = new SessionGuard(program, ledger, resolved);
  if (resolver === undefined) return guard;
  const { sessionId, clock } = resolved;
  const settle = guard.settle.bind(guard);
  const { settleTimeoutMs: timeoutMs } = ledgerTimes(options);
  await resolveLeftBehind({ sessionId, session: ledger.session, clock, resolver, timeoutMs, settle });
  return guard;
}
