import type { Artifact } from "../artifact/compiled.js";
import { checkedKey } from "./call-keys.js";
import { LONGEST_TIMER_MS } from "./call-scope.js";
import { Decisions } from "./decisions.js";
import type { SessionEvent } from "./event.js";
import { checkWorkflow, keepingOf } from "./keeping.js";
import { Ledger, type Step } from "./ledger.js";
import { Listeners } from "./listeners.js";
import { plainJson } from "./plain-json.js";
import { type Program, prepareProgram } from "./program.js";
import type {
  Answer,
  ApprovalAnswer,
  ApprovalRequest,
  BlockVerdict,
  GuardEvents,
  GuardOptions,
  ProposedCall,
  SessionState,
  SettleResult,
  Verdict,
  VisibleTools,
} from "./public.js";
import type { Session } from "./session.js";
import { packOf, type Setting, settingOf, trustedArtifact } from "./setting.js";
import { type Outcome, type Settlement, settlementOf } from "./settlement.js";
import { stateOf } from "./state.js";
import { BrokenSession, ExecutedButNotRecorded, StoreUnavailable } from "./store-errors.js";
import { toldDecision, toldSettlement } from "./told.js";
import { block } from "./verdict.js";
import { type ProxyCall, WrappedCalls } from "./wrap.js";

const LATE: unique symbol = Symbol("late");

type Approver = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** A guard of one session: judges each call before it goes out, and remembers what happened. Make it with `createGuard`. */
export class Guard {
  private readonly listeners = new Listeners();
  private readonly decisions: Decisions;
  private readonly asked = new Map<string, Promise<Verdict>>();
  private toldKilled = false;

  constructor(
    private readonly program: Program,
    private readonly ledger: Ledger,
    private readonly setting: Setting,
  ) {
    this.decisions = new Decisions(program, setting);
  }

  get sessionId(): string {
    return this.setting.sessionId;
  }

  /** Listens to what the guard does; calling what it gives back stops that. */
  on<K extends keyof GuardEvents>(name: K, listener: (event: GuardEvents[K]) => void): () => void {
    return this.listeners.on(name, listener);
  }

  /**
   * Judges a call. `allow` has reserved it: settle it under its id, whatever becomes of it. With a `callKey` that a call of
   * the session has already, the answer is the same again, marked `repeated`, and nothing is reserved.
   */
  async propose({ tool, args, callKey }: ProposedCall): Promise<Verdict> {
    const key = checkedKey(callKey);
    // Copied before anything is awaited: what the caller does to its object afterwards is not what is judged.
    const proposal = this.decisions.proposal(tool, args);
    const verdict = await this.judge(tool, (session) => this.decisions.propose(session, tool, proposal, key));
    if (verdict.kind !== "approval_required" || verdict.repeated === true) return verdict;
    const { approvalId, deadline, rules } = verdict;
    this.listeners.emit("approval_requested", {
      approvalId,
      tool,
      deadline,
      rules: rules.map((rule) => ({ ...rule })),
    });
    const { approver } = this.setting;
    if (typeof approver !== "function" || proposal.kind === "block") return verdict;
    // A copy of its own: what an approver does to it is not what was asked about.
    const copy = plainJson(proposal.args);
    return this.ask(approver, { ...verdict, sessionId: this.sessionId, tool, args: copy.ok ? copy.value : null });
  }

  /**
   * Tells what became of a call. Where that cannot be recorded within `settleTimeoutMs`, a result is rejected with
   * ExecutedButNotRecorded, which has it, and every other outcome with StoreUnavailable.
   */
  async settle(callId: string, outcome: Outcome): Promise<SettleResult> {
    const settled = await this.recorded(callId, outcome);
    this.tellIfKilled();
    this.listeners.emit("settled", toldSettlement(callId, settled));
    if (!settled.accepted) return settled;
    const { violation } = settled;
    if (violation === null) return { accepted: true };
    return {
      accepted: true,
      violation: { ...violation, rule: violation.rule === null ? null : { ...violation.rule } },
    };
  }

  /** Approves a pending call: it is judged anew against the state of this moment. */
  async approve(approvalId: string, answer: Answer): Promise<Verdict> {
    return this.answer(approvalId, "approved", answer);
  }

  /** Denies a pending call. */
  async deny(approvalId: string, answer: Answer): Promise<Verdict> {
    return this.answer(approvalId, "denied", answer);
  }

  /** The verdict on a call that waits or waited for an approval. */
  async resume(approvalId: string): Promise<Verdict> {
    return this.asked.get(approvalId) ?? this.judge(null, (session) => this.decisions.resume(session, approvalId));
  }

  /** Every check that would refuse a call now, in their order; changes nothing. */
  explain({ tool, args }: ProposedCall): readonly BlockVerdict[] {
    if (!this.ledger.isSound) return [this.fault(new BrokenSession())];
    return this.decisions.explain(this.ledger.session, tool, args);
  }

  /** What the model should be offered now, with the reason for each hidden tool. */
  visibleTools(): VisibleTools {
    if (!this.ledger.isSound) return this.decisions.nothingVisible("guard_fault");
    return this.decisions.visibleTools(this.ledger.session);
  }

  /** A copy of the session as it stands. */
  state(): SessionState {
    return stateOf(this.program, this.ledger.session);
  }

  /** Opens a step, one turn of the model. Without it every call is a step of its own. */
  async beginStep(): Promise<{ readonly kind: "allow" } | BlockVerdict> {
    return this.decided((session) => this.decisions.beginStep(session));
  }

  /** Adds to the cost of the session, in US dollars. */
  async recordCost(usd: number): Promise<void> {
    if (!Number.isFinite(usd) || usd < 0) throw new TypeError("a cost is a number that is not negative");
    await this.happen({ kind: "cost_recorded", usd });
  }

  /** Adds a label to the session; labels are never removed. */
  async addLabel(label: string): Promise<void> {
    if (typeof label !== "string" || label === "") throw new TypeError("a label is a text that is not empty");
    await this.happen({ kind: "label_added", label });
  }

  /**
   * Ends the session for good, whatever it is given: in this guard at once, in the store as soon as that answers. Rejects with
   * StoreUnavailable when that takes too long; the session is over here all the same, and recording goes on.
   */
  async kill(why: string): Promise<void> {
    const recorded = this.ledger.kill(typeof why === "string" ? why : "no reason given");
    this.tellIfKilled();
    await recorded;
  }

  /** The same function, guarded: a refused call throws ContractViolation and never goes out. */
  wrap(proxyCall: ProxyCall): ProxyCall {
    return new WrappedCalls(this, this.program, this.setting.clock).wrap(proxyCall);
  }

  /** Records what became of a call: it has happened already, so the store is given more time and more attempts. */
  private async recorded(callId: string, outcome: Outcome): Promise<Settlement> {
    try {
      return await this.ledger.persist((session): Step<Settlement> => {
        const settling = { program: this.program, session, judges: this.setting.mode !== "log-only" };
        const settlement = settlementOf(settling, callId, outcome);
        return { events: settlement.accepted ? [settlement.event] : [], result: settlement };
      });
    } catch (cause) {
      const isUnrecorded = cause instanceof StoreUnavailable || cause instanceof BrokenSession;
      if (!isUnrecorded || outcome.kind !== "result") throw cause;
      throw new ExecutedButNotRecorded(callId, { output: outcome.output, cause });
    }
  }

  private happen(event: SessionEvent): Promise<void> {
    return this.ledger.transact(() => ({ events: [event], result: undefined }));
  }

  /** Runs a decision and tells of it; what cannot be judged, for whatever reason, does not go through. */
  private async judge(tool: string | null, decide: (session: Session) => Step<Verdict>): Promise<Verdict> {
    const verdict = await this.decided(decide);
    // Asking again about a call that still waits is no decision.
    const isWaiting = tool === null && verdict.kind === "approval_required";
    if (!isWaiting) this.listeners.emit("decision", toldDecision(tool, verdict));
    this.tellIfKilled();
    return verdict;
  }

  /** A decision once it is recorded, or the block that stands for it where that cannot be done. */
  private async decided<T extends { readonly kind: string }>(
    decide: (session: Session) => Step<T | BlockVerdict>,
  ): Promise<T | BlockVerdict> {
    const { ledger } = this;
    try {
      // A kill is final, so what it refuses waits for nobody.
      const over = ledger.session.isKilled && ledger.isSound ? decide(ledger.session) : null;
      if (over?.events.length === 0 && isOver(over.result)) return over.result;
      return await ledger.transact(decide);
    } catch (cause) {
      const { isKilled, killedWhy } = ledger.session;
      // The session may have been killed while the store did not answer.
      if (!isKilled || !(cause instanceof StoreUnavailable)) return this.fault(cause);
      return this.decisions.verdictOf(ledger.session, block("session_killed", null, "a session that lives", killedWhy));
    }
  }

  /** What a fault of the store, or of ours, means for a call. */
  private fault(cause: unknown): BlockVerdict {
    const reason = cause instanceof StoreUnavailable ? cause.reason : "guard_fault";
    const found = cause instanceof Error ? cause.name : "unknown";
    return this.decisions.verdictOf(this.ledger.session, block(reason, null, "a call that can be judged", found));
  }

  private tellIfKilled(): void {
    const { isKilled, killedWhy: why, killedBy: cause } = this.ledger.session;
    if (!isKilled || cause === null || this.toldKilled) return;
    this.toldKilled = true;
    this.listeners.emit("killed", { why, cause });
  }

  private async answer(approvalId: string, end: "approved" | "denied", answer: Answer): Promise<Verdict> {
    const { by, note } = answer;
    const verdict = await this.judge(null, (session) => this.decisions.answer(session, approvalId, end, answer));
    this.listeners.emit("approval_answered", { approvalId, end, by, ...(note === undefined ? {} : { note }) });
    return verdict;
  }

  /** Asks an approver that is a function; the session is paused meanwhile, and a failure of the approver denies. */
  private ask(approver: Approver, request: ApprovalRequest): Promise<Verdict> {
    const { approvalId } = request;
    const consult = async (): Promise<Verdict> => {
      try {
        const answer = await this.beforeDeadline(approver(request), request.deadline);
        if (answer === LATE) return await this.judge(null, (session) => this.decisions.resume(session, approvalId));
        const { decision, ...told } = answer;
        return decision === "approve" ? await this.approve(approvalId, told) : await this.deny(approvalId, told);
      } catch (cause) {
        return this.deny(approvalId, {
          by: "approver",
          note: `failed: ${cause instanceof Error ? cause.name : "unknown"}`,
        });
      }
    };
    const answered = consult().finally(() => this.asked.delete(approvalId));
    this.asked.set(approvalId, answered);
    return answered;
  }

  /** What an approver answers, or LATE when the deadline comes first. */
  private async beforeDeadline(
    answer: Promise<ApprovalAnswer>,
    deadline: number,
  ): Promise<ApprovalAnswer | typeof LATE> {
    const left = Math.min(Math.max(0, deadline - this.setting.clock.now()), LONGEST_TIMER_MS);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<typeof LATE>((resolve) => {
      timer = setTimeout(() => resolve(LATE), left);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isOver(verdict: { readonly kind: string; readonly reason?: string }): boolean {
  return verdict.kind === "block" && verdict.reason === "session_killed";
}

/**
 * Makes the guard of one session. It refuses to start on an artifact it cannot trust or without a principal it needs; null is
 * what compiling a pack with errors gives.
 */
export async function createGuard(artifact: Artifact | null, options: GuardOptions = {}): Promise<Guard> {
  const trusted = trustedArtifact(artifact);
  checkWorkflow(trusted, options.workflow);
  const pack = packOf(trusted, options.role);
  const setting = settingOf(options, pack);
  const program = prepareProgram(trusted, pack, { env: options.env ?? process.env, principal: setting.principal });
  const ledger = new Ledger(program, keepingOf(options, setting.sessionId));
  await ledger.open();
  return new Guard(program, ledger, setting);
}

export type { Artifact } from "../artifact/compiled.js";
export { checkArtifact, type DecodeResult, decodeArtifact, type Refusal } from "../artifact/decode.js";
export type { Reason } from "../artifact/reasons.js";
export type { SessionEvent } from "./event.js";
export type {
  AllowVerdict,
  Answer,
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalVerdict,
  BlockVerdict,
  Clock,
  GuardEvents,
  GuardOptions,
  ProposedCall,
  SessionState,
  SettleResult,
  Verdict,
  VisibleTools,
} from "./public.js";
export type { Outcome, Violation } from "./settlement.js";
export type { Loaded, SessionStore } from "./store.js";
export { ExecutedButNotRecorded, type StoreFault, StoreUnavailable } from "./store-errors.js";
export { type CallOptions, ContractViolation, type ProxyCall } from "./wrap.js";
