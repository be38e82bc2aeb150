import type { Artifact } from "../artifact/compiled.js";
import { LONGEST_TIMER_MS } from "./call-scope.js";
import { Decisions } from "./decisions.js";
import type { SessionEvent } from "./event.js";
import { Ledger, type Step } from "./ledger.js";
import { Listeners } from "./listeners.js";
import type { ModelRequest, ModelResponse, RequestVerdict, ResponseVerdict } from "./model/public.js";
import { judgeRequest } from "./model/request.js";
import { judgeResponse } from "./model/response.js";
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
import { environmentOf, packOf, requireVariables, type Setting, settingOf, trustedArtifact } from "./setting.js";
import { type Outcome, type Settlement, settlementOf } from "./settlement.js";
import { stateOf } from "./state.js";
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

  /** Judges a call. `allow` has reserved it: settle it under its id, whatever becomes of it. */
  async propose({ tool, args }: ProposedCall): Promise<Verdict> {
    // Copied before anything is awaited: what the caller does to its object afterwards is not what is judged.
    const proposal = this.decisions.proposal(tool, args);
    const verdict = await this.judge(tool, (session) => this.decisions.propose(session, tool, proposal));
    if (verdict.kind !== "approval_required") return verdict;
    const { approvalId, deadline, rules } = verdict;
    this.listeners.emit("approval_requested", { approvalId, tool, deadline, rules });
    const { approver } = this.setting;
    if (typeof approver !== "function" || proposal.kind === "block") return verdict;
    // A copy of its own: what an approver does to it is not what was asked about.
    const copy = plainJson(proposal.args);
    return this.ask(approver, { ...verdict, sessionId: this.sessionId, tool, args: copy.ok ? copy.value : null });
  }

  /** Tells what became of a call. */
  async settle(callId: string, outcome: Outcome): Promise<SettleResult> {
    const settled = await this.ledger.transact((session): Step<Settlement> => {
      const settling = { program: this.program, session, judges: this.setting.mode !== "log-only" };
      const settlement = settlementOf(settling, callId, outcome);
      return { events: settlement.accepted ? [settlement.event] : [], result: settlement };
    });
    this.tellIfKilled();
    this.listeners.emit("settled", toldSettlement(callId, settled));
    if (!settled.accepted) return settled;
    return { accepted: true, ...(settled.violation === null ? {} : { violation: settled.violation }) };
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
    return this.decisions.explain(this.ledger.session, tool, args);
  }

  /** Judges the body of a request before it is sent to a model. Changes nothing. */
  checkRequest(given: ModelRequest): RequestVerdict {
    return judgeRequest(this.program.providers, this.setting.mode, given);
  }

  /** Judges the body of a model's response before its calls are proposed. Changes nothing. */
  checkResponse(given: ModelResponse): ResponseVerdict {
    const formats = (tool: string) => this.program.tools.get(tool)?.compiled?.response_format ?? null;
    return judgeResponse(formats, this.setting.mode, given);
  }

  /** What the model should be offered now, with the reason for each hidden tool. */
  visibleTools(): VisibleTools {
    return this.decisions.visibleTools(this.ledger.session);
  }

  /** A copy of the session as it stands. */
  state(): SessionState {
    return stateOf(this.program, this.ledger.session);
  }

  /** Opens a step, one turn of the model. Without it every call is a step of its own. */
  async beginStep(): Promise<{ readonly kind: "allow" } | BlockVerdict> {
    try {
      return await this.ledger.transact((session) => this.decisions.beginStep(session));
    } catch (cause) {
      return this.fault(cause);
    }
  }

  /** Adds to the cost of the session, in US dollars. */
  async recordCost(usd: number): Promise<void> {
    if (!Number.isFinite(usd) || usd < 0) throw new TypeError("a cost is a number that is not negative");
    await this.happen({ kind: "cost_recorded", usd });
  }

  /** Adds a label to the session; labels are never removed. */
  async addLabel(label: string): Promise<void> {
    await this.happen({ kind: "label_added", label });
  }

  /** Ends the session for good. */
  async kill(why: string): Promise<void> {
    await this.happen({ kind: "killed", why });
    this.tellIfKilled();
  }

  /** The same function, guarded: a refused call throws ContractViolation and never goes out. */
  wrap(proxyCall: ProxyCall): ProxyCall {
    return new WrappedCalls(this, this.program, this.setting.clock).wrap(proxyCall);
  }

  private happen(event: SessionEvent): Promise<void> {
    return this.ledger.transact(() => ({ events: [event], result: undefined }));
  }

  /** Runs a decision and tells of it; what cannot be judged, for whatever reason, does not go through. */
  private async judge(tool: string | null, decide: (session: Session) => Step<Verdict>): Promise<Verdict> {
    let verdict: Verdict;
    try {
      verdict = await this.ledger.transact(decide);
    } catch (cause) {
      verdict = this.fault(cause);
    }
    // Asking again about a call that still waits is no decision.
    const isWaiting = tool === null && verdict.kind === "approval_required";
    if (!isWaiting) this.listeners.emit("decision", toldDecision(tool, verdict));
    this.tellIfKilled();
    return verdict;
  }

  /** What a fault of the store, or of ours, means for a call. */
  private fault(cause: unknown): BlockVerdict {
    const found = cause instanceof Error ? cause.name : "unknown";
    return this.decisions.verdictOf(
      this.ledger.session,
      block("guard_fault", null, "a call that can be judged", found),
    );
  }

  private tellIfKilled(): void {
    const { killed: why, killedBy: cause } = this.ledger.session;
    if (why === null || cause === null || this.toldKilled) return;
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

/**
 * Makes the guard of one session. It refuses to start on an artifact it cannot trust or without a principal it needs; null is
 * what compiling a pack with errors gives.
 */
export async function createGuard(artifact: Artifact | null, options: GuardOptions = {}): Promise<Guard> {
  const trusted = trustedArtifact(artifact);
  const pack = packOf(trusted, options.role);
  const setting = settingOf(options, pack);
  const program = prepareProgram(trusted, pack, { env: environmentOf(options), principal: setting.principal });
  requireVariables(options, program);
  const ledger = new Ledger(program, setting.sessionId, options.store ?? null);
  await ledger.catchUp();
  return new Guard(program, ledger, setting);
}

export type { Artifact } from "../artifact/compiled.js";
export { checkArtifact, type DecodeResult, decodeArtifact, type Refusal } from "../artifact/decode.js";
export type { Reason } from "../artifact/reasons.js";
export type { SessionEvent } from "./event.js";
export type {
  ModelCall,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  RequestBlock,
  RequestVerdict,
  RequestWarning,
  ResponseBlock,
  ResponseField,
  ResponseVerdict,
} from "./model/public.js";
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
export { type CallOptions, ContractViolation, type ProxyCall } from "./wrap.js";
