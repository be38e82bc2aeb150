import { setImmediate as nextTurn } from "node:timers/promises";
import { foreignErrorName } from "../../base/foreign-value.js";
import type { Listeners } from "../listeners.js";
import type {
  Answer,
  ApprovalRequest,
  ApprovalVerdict,
  BlockVerdict,
  GuardOptions,
  RecordedAnswer,
  Verdict,
} from "../public.js";
import type { ResolvedOptions } from "../resolved-options.js";
import type { Ledger, Step } from "../session/ledger.js";
import type { ApprovalEnd } from "../session/pending-approval.js";
import { type Session, unsettledCall } from "../session/session.js";
import { checkedAnswer, readAnswer } from "./answer.js";
import type { ApprovalDecisions } from "./approval-decisions.js";
import { Asking } from "./asking.js";
import { inTurn, isPaused, untilRecorded } from "./in-turn.js";
import { type PendingEnd, PendingEnds } from "./pending-ends.js";

/** What approvals need from their guard. */
interface Parts {
  readonly decisions: ApprovalDecisions;
  readonly ledger: Ledger;
  readonly listeners: Listeners;
  readonly options: ResolvedOptions;
  /** Makes and records a decision; a block if it cannot be recorded. */
  decided<T extends { readonly kind: string }>(
    decide: (session: Session) => Step<T | BlockVerdict>,
  ): T | BlockVerdict | Promise<T | BlockVerdict>;
  /** Reports a verdict to listeners; returns the refusal instead if the session was killed meanwhile. */
  reported(verdict: Verdict): Verdict | Promise<Verdict>;
  /** The same for a verdict that was reported. */
  unlessKilled(verdict: Verdict): Verdict | Promise<Verdict>;
  /** The refusal of a call whose approval has ended so. */
  refused(end: PendingEnd): BlockVerdict;
  /** Releases a call that will not be sent. */
  release(callId: string): Promise<unknown>;
}

/** A wrapped call of this guard that waits for an approval: it alone sends the call. */
interface Waiter {
  /** This guard has reserved the call, and no other caller got an allow for it. */
  isGranted: boolean;
}

type Waiting = Pick<ApprovalVerdict, "approvalId" | "callId">;

type Approver = Exclude<GuardOptions["approver"], "manual" | undefined>;

/** The same verdict for a caller that must not send the call. */
function repeated(verdict: Verdict): Verdict {
  return verdict.kind === "allow" ? { ...verdict, repeated: true } : verdict;
}

/** Whether an approval was answered by another approver than the one that was asked. */
export function isUsed(verdict: Verdict): boolean {
  return verdict.kind === "allow"
    ? verdict.repeated === true
    : "reason" in verdict && verdict.reason === "approval_used";
}

/** The ends that an answer leads to, by the answer. */
const ENDS: Readonly<Partial<Record<ApprovalEnd, "approved" | "denied">>> = {
  approved: "approved",
  granted: "approved",
  denied: "denied",
};

/** The approver that was asked cannot approve this request. */
const UNFIT: ReadonlySet<string> = new Set(["approver_is_requester", "approver_unnamed"]);

const FAULTS: ReadonlySet<string> = new Set(["store_unavailable", "store_contended", "guard_fault"]);

/** Asks for, answers and resumes approvals, so that one approval allows one caller to send one call. */
export class Approvals {
  private readonly asking: Asking;
  private readonly pending = new PendingEnds();
  private readonly waiters = new Map<string, Waiter>();

  constructor(private readonly parts: Parts) {
    this.asking = new Asking({
      clock: parts.options.clock,
      approve: (approvalId, answer) => this.approvedHere(approvalId, answer),
      deny: (approvalId, answer) => this.surelyDenied(approvalId, answer),
      unanswered: (approvalId) => this.inTurn(approvalId),
    });
  }

  /** An answer given through the guard. If a wrapped call waits for it, that call is sent. */
  async answer(approvalId: string, end: "approved" | "denied", answer: Answer): Promise<Verdict | RecordedAnswer> {
    const waiter = this.waiters.get(approvalId);
    const verdict = await this.answered(approvalId, end, answer);
    return verdict.kind === "recorded" ? verdict : this.handedOut(approvalId, waiter, verdict);
  }

  /** The verdict for a caller that asks. While an approver is asked, its answer goes to the caller that proposed. */
  async resume(approvalId: string): Promise<Verdict> {
    const asked = this.asking.verdictOn(approvalId);
    if (asked !== undefined) return this.parts.unlessKilled(repeated(await asked));
    const waiter = this.waiters.get(approvalId);
    return this.handedOut(approvalId, waiter, await this.resumed(approvalId));
  }

  /** A verdict for a caller of the guard: it does not send what a wrapped call waits for, nor anything after a kill. */
  private handedOut(approvalId: string, waiter: Waiter | undefined, verdict: Verdict): Verdict | Promise<Verdict> {
    const isOwn = waiter === undefined && !this.waiters.has(approvalId);
    return this.parts.unlessKilled(isOwn ? verdict : repeated(verdict));
  }

  /** Asks an approver that is a function; returns the verdict that its answer leads to. */
  ask(approver: Approver, request: ApprovalRequest): Promise<Verdict> {
    return this.asking.ask(approver, request);
  }

  /** The request was answered elsewhere: the approver is no longer waited for. */
  stop(approvalId: string): void {
    this.asking.stop(approvalId);
  }

  /** The session is over: no answer matters. */
  stopAll(): void {
    this.asking.stopAll();
  }

  /** The wait of a wrapped call. A decision that could not be recorded is taken anew, perhaps under another id. */
  waiting(): { forAnswerTo(verdict: Verdict): void } {
    let awaited: string | null = null;
    return {
      forAnswerTo: (verdict) => {
        const isAsking = verdict.kind === "approval_required" && verdict.repeated !== true;
        const approvalId = isAsking ? verdict.approvalId : null;
        if (approvalId === awaited) return;
        if (awaited !== null) this.leave(awaited);
        if (approvalId !== null) this.waiters.set(approvalId, { isGranted: false });
        awaited = approvalId;
      },
    };
  }

  /** The wrapped call no longer waits. */
  leave(approvalId: string): void {
    this.waiters.delete(approvalId);
  }

  /**
   * The verdict for the wrapped call that asked. A call that this guard reserved is its to send; one that another guard resumed
   * belongs to that guard's caller.
   */
  async claim(approvalId: string): Promise<Verdict> {
    const verdict = await this.inTurn(approvalId);
    if (verdict.kind !== "allow" || verdict.repeated !== true) return verdict;
    return this.isOwn(approvalId) ? { kind: "allow", callId: verdict.callId } : verdict;
  }

  /**
   * Withdraws a request that no caller waits for, or releases the reservation that it led to meanwhile: in this guard at once,
   * in the store as soon as it answers.
   */
  async withdraw(request: Waiting): Promise<void> {
    const { approvalId } = request;
    // A request that was denied keeps that end.
    if (!this.pending.add(approvalId, "withdrawn")) return;
    const waiter = this.waiters.get(approvalId);
    const withdrawing = this.takeBack(request, () => this.isOwn(approvalId));
    this.asking.stop(approvalId);
    try {
      await withdrawing;
      this.pending.remove(approvalId);
    } catch (cause) {
      process.emitWarning(`an approval request could not be withdrawn so far: ${foreignErrorName(cause)}`);
      // Later, only a call that this guard itself reserved: another guard may send the one that it approved meanwhile.
      void this.pending.recordLater(approvalId, () => this.takeBack(request, () => waiter?.isGranted === true));
    }
  }

  private async takeBack({ approvalId, callId }: Waiting, isOwn: () => boolean): Promise<void> {
    const { ledger, listeners, release } = this.parts;
    const isWithdrawn = await ledger.transact(({ approval, resumable }) => {
      const isWaiting = approval?.id === approvalId || resumable.has(approvalId);
      const withdrawn = { kind: "approval_ended", approvalId, end: "withdrawn" } as const;
      return { events: isWaiting ? [withdrawn] : [], result: isWaiting };
    });
    if (isWithdrawn) {
      listeners.emit("approval_answered", { approvalId, end: "withdrawn", by: "the caller" });
      return;
    }
    // A reservation that this guard just made is visible after the next turn of the event loop.
    await nextTurn();
    const isReserved = unsettledCall(ledger.session, callId)?.status === "running";
    if (isReserved && isOwn()) await release(callId);
  }

  /** Whether this guard reserved the call for its waiting wrapped call. */
  private isOwn(approvalId: string): boolean {
    return this.waiters.get(approvalId)?.isGranted === true;
  }

  /** The verdict for the caller that proposed; where further approvals are needed, the call still waits. */
  private async approvedHere(approvalId: string, answer: Answer): Promise<Verdict> {
    const { ledger, options } = this.parts;
    const deadline = ledger.session.approval?.deadline ?? 0;
    const approve = () => this.answered(approvalId, "approved", answer);
    const verdict = await untilRecorded(approve, () => options.clock.now() < deadline);
    if (verdict.kind === "recorded") return this.inTurn(approvalId);
    const reason = verdict.kind === "block" ? verdict.reason : null;
    // The same person has approved through another guard.
    if (reason === "approver_repeated") return this.inTurn(approvalId);
    if (reason !== null && UNFIT.has(reason)) await this.giveUp(approvalId);
    return verdict;
  }

  /** The caller that proposed is told that its call is refused, so nobody may approve it any more. */
  private async giveUp(approvalId: string): Promise<void> {
    const { approval } = this.parts.ledger.session;
    if (approval?.id === approvalId) await this.withdraw({ approvalId, callId: approval.callId });
  }

  private async answered(
    approvalId: string,
    end: "approved" | "denied",
    given: unknown,
  ): Promise<Verdict | RecordedAnswer> {
    const { decisions, listeners, options } = this.parts;
    const answer = end === "approved" ? checkedAnswer(given) : (readAnswer(given) ?? {});
    const ended = end === "approved" ? this.pending.unrecorded(approvalId) : undefined;
    if (ended !== undefined) return this.parts.reported(this.parts.refused(ended));
    let accepted: Verdict | RecordedAnswer | null = null;
    let isEnded = false;
    this.askTime();
    const verdict = await this.parts.decided<Verdict | RecordedAnswer>((session) => {
      const decided = decisions.answer(session, approvalId, end, answer);
      const step = end === "approved" ? this.unlessEnded(approvalId, decided) : decided;
      isEnded = step.events.some((event) => event.kind === "approval_ended" && ENDS[event.end] === end);
      accepted = isEnded || step.events.some(({ kind }) => kind === "approval_given") ? step.result : null;
      const { recording } = options;
      return recording === null
        ? step
        : { ...step, note: recording.answered({ approvalId, end, ...answer }, step.result) };
    });
    // Any other verdict means that the decision could not be recorded.
    const isAccepted = verdict === accepted;
    if (verdict.kind !== "recorded") this.grant(approvalId, verdict);
    const reported = verdict.kind === "recorded" ? verdict : await this.parts.reported(verdict);
    if (!isAccepted) return reported;
    if (isEnded) this.asking.stop(approvalId);
    listeners.emit("approval_answered", { approvalId, end, by: "unknown", ...answer });
    return reported.kind === "recorded" ? reported : this.parts.unlessKilled(reported);
  }

  /** The verdict for a caller that waits: the approval of another call does not use up the one of its own. */
  private inTurn(approvalId: string): Promise<Verdict> {
    const { ledger, listeners } = this.parts;
    const changes = (listener: () => void) => {
      const stops = [
        ledger.watch(listener),
        listeners.on("approval_answered", listener),
        listeners.on("killed", listener),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    };
    return inTurn(() => this.resumed(approvalId, true), changes);
  }

  private async resumed(approvalId: string, isWaiting = false): Promise<Verdict> {
    const { parts } = this;
    const ended = this.pending.unrecorded(approvalId);
    if (ended !== undefined) return parts.reported(parts.refused(ended));
    this.askTime();
    // A call that still waits is no new decision.
    const isUndecided = (verdict: Verdict) => verdict.kind === "approval_required" || (isWaiting && isPaused(verdict));
    const verdict = await parts.decided((session) => {
      const step = this.unlessEnded(approvalId, parts.decisions.resume(session, approvalId));
      const { recording } = parts.options;
      if (recording === null || isUndecided(step.result)) return step;
      return { ...step, note: recording.resumed(approvalId, step.result) };
    });
    this.grant(approvalId, verdict);
    return isUndecided(verdict) ? verdict : parts.reported(verdict);
  }

  /** A deadline is judged by the time of the store: the one that this guard heard last may be long ago, and its machine asleep since. */
  private askTime(): void {
    const { ledger, options } = this.parts;
    if (options.recording !== null) ledger.outdated();
  }

  private grant(approvalId: string, verdict: Verdict): void {
    const waiter = this.waiters.get(approvalId);
    if (waiter !== undefined && verdict.kind === "allow" && verdict.repeated !== true) waiter.isGranted = true;
  }

  /** A step about an approval, or the refusal if the approval has ended in this guard. */
  private unlessEnded<T extends Verdict | RecordedAnswer>(approvalId: string, step: Step<T>): Step<T | BlockVerdict> {
    const end = this.pending.of(approvalId);
    return end === undefined || step.result.kind === "block" ? step : { events: [], result: this.parts.refused(end) };
  }

  /** A denial stays one, whatever the store does, even if another approver approves the call meanwhile. */
  private async surelyDenied(approvalId: string, answer: Answer): Promise<Verdict> {
    const { ledger, decisions, refused } = this.parts;
    // If the request was withdrawn before, that end is recorded.
    const isAdded = this.pending.add(approvalId, "denied");
    const verdict = await this.answered(approvalId, "denied", answer);
    const isRecorded = verdict.kind !== "block" || !FAULTS.has(verdict.reason);
    if (isAdded && isRecorded) this.pending.remove(approvalId);
    if (verdict.kind === "block" && UNFIT.has(verdict.reason)) await this.giveUp(approvalId);
    if (verdict.kind !== "recorded" && isRecorded) return verdict;
    const record = () => ledger.transact((session) => decisions.denyLate(session, approvalId));
    if (isAdded) void this.pending.recordLater(approvalId, record);
    return refused("denied");
  }
}
