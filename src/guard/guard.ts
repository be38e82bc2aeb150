import { setImmediate as nextTurn } from "node:timers/promises";
import type { Artifact } from "../artifact/compiled.js";
import { foreignErrorName } from "../base/foreign-value.js";
import { checkedAcknowledgement } from "./approvals/answer.js";
import { Approvals } from "./approvals/approvals.js";
import { coalesced } from "./approvals/coalesced.js";
import { refusalOf } from "./approvals/pending-ends.js";
import { Decisions } from "./decide/decisions.js";
import type { Unjudgeable } from "./decide/proposals.js";
import { type Block, block } from "./decide/verdict.js";
import { artifactBlock, isArtifactChanged, SessionRefused } from "./durable/log-errors.js";
import { acknowledgementStep, settlementStep } from "./durable/settlement-steps.js";
import type { Guard } from "./guard-api.js";
import { decisionEvent, settlementEvent } from "./guard-events.js";
import { type GuardParts, guardParts } from "./guard-parts.js";
import { Listeners } from "./listeners.js";
import type { ModelRequest, ModelResponse, RequestVerdict, ResponseVerdict } from "./model/public.js";
import { judgeRequest } from "./model/request.js";
import { judgeResponse } from "./model/response.js";
import type { Program, Proposal } from "./program/program.js";
import type {
  Acknowledgement,
  AllowVerdict,
  Answer,
  ApprovalVerdict,
  BlockVerdict,
  GuardEvents,
  GuardOptions,
  ProposedCall,
  RecordedAnswer,
  SessionState,
  SettleResult,
  UnsettledCall,
  Verdict,
  VisibleTools,
} from "./public.js";
import type { ResolvedOptions } from "./resolved-options.js";
import { checkedKey } from "./session/call-keys.js";
import type { SessionEvent } from "./session/event.js";
import type { Ledger, Step } from "./session/ledger.js";
import { checkedOutcome, NOT_SENT, type Outcome } from "./session/outcome.js";
import type { Session } from "./session/session.js";
import { copyOfOutput, type Settlement } from "./session/settlement.js";
import { stateOf } from "./session/state.js";
import { BrokenSession, ExecutedButNotRecorded, isStoreUnavailable } from "./session/store-errors.js";
import { resolveLeftBehind, unsettledCalls } from "./unsettled-calls.js";
import { type PlainJson, plainJson } from "./values/plain-json.js";
import type { Proposed } from "./wrap/call-host.js";
import type { ProxyCall, WrapOptions } from "./wrap/call-options.js";
import { GuardCallHost } from "./wrap/guard-call-host.js";
import { WrappedCalls } from "./wrap/wrap.js";

/** The guard of one session; alone in this folder it has effects. */
export class SessionGuard implements Guard {
  private readonly listeners = new Listeners();
  private readonly decisions: Decisions;
  private readonly approvals: Approvals;
  private isKillReported = false;

  constructor(
    private readonly program: Program,
    private readonly ledger: Ledger,
    private readonly options: ResolvedOptions,
  ) {
    this.decisions = new Decisions(program, options);
    this.approvals = new Approvals({
      ...{ decisions: this.decisions.approvals, ledger, listeners: this.listeners, options },
      decided: (decide) => this.decided(decide),
      reported: (verdict) => this.reported(null, verdict),
      refused: (end) => this.refusal(refusalOf(end)),
      release: (callId) => this.settle(callId, NOT_SENT),
    });
    options.seat?.onStatus(() => this.reportKill());
  }

  get sessionId(): string {
    return this.options.sessionId;
  }

  get artifactHash(): string {
    return this.program.artifact.hash;
  }

  on<K extends keyof GuardEvents>(name: K, listener: (event: GuardEvents[K]) => void): () => void {
    return this.listeners.on(name, listener);
  }

  async propose({ tool, args, callKey }: ProposedCall): Promise<Verdict> {
    const key = checkedKey(callKey);
    if (typeof tool !== "string") return this.refuseUnnamed();
    // Copied before anything is awaited: later changes of the caller to its object must not change what is judged.
    const proposal = this.decisions.proposals.of(tool, args);
    // Awaited even where it is there at once: a kill that comes with the proposal still overtakes it.
    const reported = this.reported(tool, await this.decided((session) => this.proposed(session, tool, proposal, key)));
    const verdict = reported instanceof Promise ? await reported : reported;
    if (verdict.kind !== "approval_required" || verdict.repeated === true) return verdict;
    return this.request(verdict, tool, proposal) ?? verdict;
  }

  async settle(callId: string, outcome: Outcome): Promise<SettleResult> {
    const settled = await this.settled(callId, checkedOutcome(outcome));
    this.reportKill();
    this.listeners.emit("settled", settlementEvent(callId, settled));
    if (!settled.accepted) return { accepted: false, reason: settled.reason };
    const { violation } = settled;
    if (violation === null) return { accepted: true };
    return {
      accepted: true,
      violation: { ...violation, rule: violation.rule === null ? null : { ...violation.rule } },
    };
  }

  async acknowledge(callId: string, given: Acknowledgement): Promise<SettleResult> {
    const found = checkedAcknowledgement(given);
    return this.ledger.transact((session) => acknowledgementStep(session, callId, found));
  }

  unsettled(): readonly UnsettledCall[] {
    return unsettledCalls(this.sessionId, this.ledger.session);
  }

  async approve(approvalId: string, answer: Answer): Promise<Verdict | RecordedAnswer> {
    return this.approvals.answer(approvalId, "approved", answer);
  }

  async deny(approvalId: string, answer: Answer): Promise<Verdict | RecordedAnswer> {
    return this.approvals.answer(approvalId, "denied", answer);
  }

  async resume(approvalId: string): Promise<Verdict> {
    return this.approvals.resume(approvalId);
  }

  explain({ tool, args }: ProposedCall): readonly BlockVerdict[] {
    if (!this.ledger.isSound) return [this.fault(new BrokenSession())];
    return this.decisions.explain(this.ledger.session, tool, args);
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
    return this.isKilled === state.killed ? state : { ...state, killed: true };
  }

  async beginStep(): Promise<{ readonly kind: "allow" } | BlockVerdict> {
    const { recording } = this.options;
    const verdict = await this.decided((session) => {
      const step = this.decisions.beginStep(session);
      return recording === null ? step : { ...step, note: recording.step(step.result) };
    });
    this.reportKill();
    return verdict;
  }

  async recordCost(usd: number): Promise<void> {
    if (!Number.isFinite(usd) || usd < 0) throw new TypeError("a cost must be a number that is not negative");
    await this.record({ kind: "cost_recorded", usd });
  }

  async addLabel(label: string): Promise<void> {
    if (typeof label !== "string" || label === "") throw new TypeError("a label must be a string that is not empty");
    await this.record({ kind: "label_added", label });
  }

  async kill(why: string): Promise<void> {
    const recorded = this.ledger.kill(typeof why === "string" ? why : "no reason given");
    this.reportKill();
    await recorded;
  }

  wrap(proxyCall: ProxyCall, options?: WrapOptions): ProxyCall {
    const { program, ledger, decisions, listeners, approvals } = this;
    const host = new GuardCallHost({
      ...{ program, ledger, decisions, listeners, approvals, options: this.options },
      propose: (tool, plain) => this.proposeCopied(tool, plain),
      settle: (callId, outcome) => this.settle(callId, outcome),
      fault: (cause) => this.fault(cause),
    });
    return new WrappedCalls(host).wrap(proxyCall, options);
  }

  /** Judges a call whose arguments were copied, or could not be. Does not wait for an approver. */
  private async proposeCopied(tool: unknown, plain: PlainJson): Promise<Proposed> {
    if (typeof tool !== "string") return { verdict: await this.refuseUnnamed(), asked: null };
    const proposal = this.decisions.proposals.ofCopied(tool, plain);
    const decided = await this.decided((session) => this.proposed(session, tool, proposal));
    const verdict = await this.reported(tool, decided);
    if (verdict.kind !== "approval_required") return { verdict, asked: null };
    // Before the request is reported, so that no answer can come earlier.
    this.approvals.await(verdict.approvalId);
    return { verdict, asked: this.request(verdict, tool, proposal) };
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
    const decided = note === undefined ? refused : await this.decided(() => ({ events: [], result: refused, note }));
    this.listeners.emit("decision", decisionEvent(null, decided));
    return decided;
  }

  /** Reports a request, and asks an approver that is a function; returns the verdict that its answer leads to. */
  private request(verdict: ApprovalVerdict, tool: string, proposal: Proposal | Block): Promise<Verdict> | null {
    const { approvalId, deadline, rules } = verdict;
    this.listeners.emit("approval_requested", {
      approvalId,
      tool,
      deadline,
      rules: rules.map((rule) => ({ ...rule })),
    });
    // A listener may have killed the session: then no approver is asked.
    if (this.isKilled) return Promise.resolve(this.killed());
    const { approver } = this.options;
    if (typeof approver !== "function" || proposal.kind === "block") return null;
    // A copy, so that an approver cannot change what is judged.
    const copy = plainJson(proposal.args);
    const args = copy.ok ? copy.value : null;
    const asked = this.approvals.ask(approver, { ...verdict, sessionId: this.sessionId, tool, args });
    // Somebody else may answer, or kill the session, while the approver thinks. Not one look for each record of a busy
    // session: decisions of callers would wait behind them.
    const stop = this.ledger.watch(coalesced(() => this.look(approvalId)));
    void asked.then(stop, stop);
    return asked;
  }

  /** Reads what others recorded while an approver is asked; a failure is noticed with the next decision. */
  private async look(approvalId: string): Promise<void> {
    try {
      await this.ledger.transact(() => ({ events: [], result: undefined }));
    } catch {
      return;
    }
    this.reportKill();
    const { seat } = this.options;
    const isOver = seat !== null && seat.admit() !== null;
    if (isOver || this.ledger.session.approval?.id !== approvalId) this.approvals.stop(approvalId);
  }

  /** Records the outcome of a call. The call is over, so the store gets more time and more attempts. */
  private async settled(callId: string, outcome: Outcome): Promise<Settlement> {
    // Copied before anything is awaited: later changes of the caller to its object must not change what is judged.
    const copied = "output" in outcome ? copyOfOutput(outcome.output) : undefined;
    try {
      return await this.ledger.persist((session) => {
        const { recording, mode } = this.options;
        const settling = { program: this.program, session, judges: mode !== "log-only", copied };
        return settlementStep(settling, recording, callId, outcome);
      });
    } catch (cause) {
      // Whatever kept it from being recorded, the session being moved to another artifact too: the call was executed.
      if (outcome.kind !== "result") throw cause;
      throw new ExecutedButNotRecorded(callId, { output: outcome.output, cause });
    }
  }

  private async record(event: SessionEvent): Promise<void> {
    await this.ledger.transact(() => ({ events: [event], result: undefined }));
    this.reportKill();
  }

  /** Reports a verdict; after a kill no allow is returned. No promise without need: every call comes here. */
  private reported(tool: string | null, verdict: Verdict): Verdict | Promise<Verdict> {
    const isRefused = verdict.kind === "block";
    const isObserved = this.listeners.hears("decision") && (isRefused || !this.isKilled);
    if (isObserved) this.listeners.emit("decision", decisionEvent(tool, verdict));
    this.reportKill();
    return isRefused || !this.isKilled ? verdict : this.overtaken(tool, verdict);
  }

  /** The call will not be sent, so its reservation is released: at once, or when a slow store answers. */
  private async overtaken(tool: string | null, verdict: AllowVerdict | ApprovalVerdict): Promise<BlockVerdict> {
    const refused = this.killed();
    this.listeners.emit("decision", decisionEvent(tool, refused));
    const { kind, callId, repeated } = verdict;
    if (kind === "approval_required" || repeated === true) return refused;
    const released = this.settle(callId, NOT_SENT).catch((cause: unknown) => {
      process.emitWarning(`${callId}, which was not executed, could not be released: ${foreignErrorName(cause)}`);
    });
    await Promise.race([released, nextTurn()]);
    return refused;
  }

  /**
   * A decision, once it is recorded; a block if it cannot be: a call that cannot be judged, for whatever reason, is refused. No
   * promise without need: every call comes here.
   */
  private decided<T extends { readonly kind: string }>(
    decide: (session: Session) => Step<T | BlockVerdict>,
  ): T | BlockVerdict | Promise<T | BlockVerdict> {
    const { ledger } = this;
    try {
      // A kill is final, so its refusals do not wait for the store, unless each of them is recorded.
      const isUnrecorded = this.options.recording === null || ledger.hasPendingKill;
      const over = ledger.session.isKilled && ledger.isSound && isUnrecorded ? decide(ledger.session) : null;
      if (over?.events.length === 0 && isOver(over.result)) return over.result;
      const decided = ledger.decided(decide);
      return decided instanceof Promise ? decided.catch((cause: unknown) => this.undecided(cause)) : decided;
    } catch (cause) {
      return this.undecided(cause);
    }
  }

  /** The session may have been killed while the store did not answer. */
  private undecided(cause: unknown): BlockVerdict {
    return this.isKilled && isStoreUnavailable(cause) ? this.killed() : this.fault(cause);
  }

  /** The refusal of a call after a fault of the store or of the guard. */
  private fault(cause: unknown): BlockVerdict {
    if (isArtifactChanged(cause)) return this.refusal(artifactBlock(cause));
    const reason = isStoreUnavailable(cause) ? cause.reason : "guard_fault";
    return this.refusal(block(reason, null, "a call that can be judged", foreignErrorName(cause)));
  }

  /** Whether the session was killed, by whatever scope. */
  private get isKilled(): boolean {
    const { seat } = this.options;
    return this.ledger.session.isKilled || (seat !== null && seat.killed() !== null);
  }

  private killed(): BlockVerdict {
    const { seat } = this.options;
    const ended = seat === null ? null : seat.killed();
    if (ended !== null) return this.refusal(ended);
    return this.refusal(block("session_killed", null, "a session that has not ended", this.ledger.session.killedWhy));
  }

  private refusal(refused: Block): BlockVerdict {
    return this.decisions.proposals.verdictOf(this.ledger.session, refused);
  }

  private reportKill(): void {
    if (this.isKillReported) return;
    const { seat } = this.options;
    const { isKilled, killedWhy, killedBy } = this.ledger.session;
    const ended = isKilled || seat === null ? null : seat.killed();
    const cause = ended === null ? killedBy : "workflow";
    if (cause === null) return;
    this.isKillReported = true;
    this.approvals.stopAll();
    this.listeners.emit("killed", { why: ended?.found ?? killedWhy, cause });
  }
}

function isOver(verdict: { readonly kind: string; readonly reason?: string }): boolean {
  return verdict.kind === "block" && verdict.reason === "session_killed";
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
  await resolveLeftBehind({ sessionId, session: ledger.session, clock, resolver, settle });
  return guard;
}
