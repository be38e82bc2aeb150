import { setImmediate as nextTurn } from "node:timers/promises";
import { checkedAnswer, readAnswer } from "./answer.js";
import type { ApprovalDecisions } from "./approval-decisions.js";
import { Asking } from "./asking.js";
import { Denials } from "./denials.js";
import type { Ledger } from "./ledger.js";
import type { Listeners } from "./listeners.js";
import type { Decided } from "./proposals.js";
import type { Answer, ApprovalRequest, BlockVerdict, GuardOptions, Verdict } from "./public.js";
import { type Session, unsettledCall } from "./session.js";
import type { Setting } from "./setting.js";

/** What the approvals of a guard need of it. */
interface Parts {
  readonly decisions: ApprovalDecisions;
  readonly ledger: Ledger;
  readonly listeners: Listeners;
  readonly setting: Setting;
  /** Makes a decision, or the block that stands for it where it cannot be recorded. */
  decided(decide: (session: Session) => Decided): Verdict | Promise<Verdict>;
  /** Tells listeners of a verdict, and gives what becomes of it where a kill overtook it. */
  told(verdict: Verdict): Verdict | Promise<Verdict>;
  /** The refusal of a call that an approver has denied. */
  denied(): BlockVerdict;
}

/** A wrapped call of this guard that waits for an approval: it is the one that makes the call. */
interface Waiter {
  /** This guard has reserved the call; nobody else was told to make it. */
  isGranted: boolean;
}

type Approver = Exclude<GuardOptions["approver"], "manual" | undefined>;

/** The same verdict for somebody who must not make the call. */
function again(verdict: Verdict): Verdict {
  return verdict.kind === "allow" ? { ...verdict, repeated: true } : verdict;
}

const FAULTS: ReadonlySet<string> = new Set(["store_unavailable", "store_contended", "guard_fault"]);

/** Where approvals of one guard are asked for, answered and resumed, so that one approval lets one caller make one call. */
export class Approvals {
  private readonly asking: Asking;
  private readonly denials: Denials;
  private readonly waiters = new Map<string, Waiter>();

  constructor(private readonly parts: Parts) {
    this.denials = new Denials((approvalId) => this.recordDenial(approvalId));
    this.asking = new Asking({
      clock: parts.setting.clock,
      approve: (approvalId, answer) => this.answered(approvalId, "approved", answer),
      deny: (approvalId, answer) => this.surelyDenied(approvalId, answer),
      unanswered: (approvalId) => this.resumed(approvalId),
    });
  }

  /** An answer that somebody gives through the guard. Where a wrapped call waits for it, that one makes the call. */
  async answer(approvalId: string, end: "approved" | "denied", answer: Answer): Promise<Verdict> {
    const waiter = this.waiters.get(approvalId);
    const verdict = await this.answered(approvalId, end, answer);
    return waiter === undefined && !this.waiters.has(approvalId) ? verdict : again(verdict);
  }

  /** The verdict for somebody who asks. An approver that is being asked answers whoever proposed the call. */
  async resume(approvalId: string): Promise<Verdict> {
    const asked = this.asking.verdictOn(approvalId);
    if (asked !== undefined) return again(await asked);
    const waiter = this.waiters.get(approvalId);
    const verdict = await this.resumed(approvalId);
    return waiter === undefined && !this.waiters.has(approvalId) ? verdict : again(verdict);
  }

  /** Asks an approver that is a function; gives the verdict that its answer will lead to. */
  ask(approver: Approver, request: ApprovalRequest): Promise<Verdict> {
    return this.asking.ask(approver, request);
  }

  /** The session is over: no answer matters any more. */
  stopAll(): void {
    this.asking.stopAll();
  }

  /** A wrapped call waits for this approval from now on. */
  await(approvalId: string): void {
    this.waiters.set(approvalId, { isGranted: false });
  }

  /** It waits no longer. */
  leave(approvalId: string): void {
    this.waiters.delete(approvalId);
  }

  /**
   * The verdict for the wrapped call that asked: a call that was approved is its to make, wherever that happened. One that
   * silence let through is whoever's resumed it.
   */
  async claim(approvalId: string): Promise<Verdict> {
    const verdict = await this.resumed(approvalId);
    if (verdict.kind !== "allow" || verdict.repeated !== true) return verdict;
    return this.isOwn(approvalId) ? { kind: "allow", callId: verdict.callId } : verdict;
  }

  /** Takes back a request that is still pending; else tells whether a call is reserved for it that nobody will make. */
  async withdraw(approvalId: string, callId: string): Promise<"reserved" | "over"> {
    const { ledger, listeners } = this.parts;
    const withdrawing = ledger.transact((session) => ({
      events:
        session.approval?.id === approvalId ? [{ kind: "approval_ended", approvalId, end: "withdrawn" } as const] : [],
      result: session.approval?.id === approvalId,
    }));
    this.asking.stop(approvalId);
    if (await withdrawing) {
      listeners.emit("approval_answered", { approvalId, end: "withdrawn", by: "the caller" });
      return "over";
    }
    // What this guard has just reserved is known here a moment later.
    await nextTurn();
    const isReserved = unsettledCall(ledger.session, callId)?.status === "running";
    return isReserved && this.isOwn(approvalId) ? "reserved" : "over";
  }

  private isOwn(approvalId: string): boolean {
    const { session } = this.parts.ledger;
    return this.waiters.get(approvalId)?.isGranted === true || session.answered.get(approvalId)?.end === "approved";
  }

  private async answered(approvalId: string, end: "approved" | "denied", given: unknown): Promise<Verdict> {
    const { decisions, listeners } = this.parts;
    const answer = end === "approved" ? checkedAnswer(given) : (readAnswer(given) ?? {});
    if (end === "approved" && this.denials.has(approvalId)) return this.parts.told(this.parts.denied());
    let accepted: Verdict | null = null;
    const verdict = await this.parts.decided((session) => {
      const step = decisions.answer(session, approvalId, end, answer);
      const isAccepted = step.events.some((event) => event.kind === "approval_ended" && event.end === end);
      accepted = isAccepted ? step.result : null;
      return step;
    });
    // Another verdict than the one that was decided: it could not be recorded.
    const isAccepted = verdict === accepted;
    this.grant(approvalId, verdict);
    const told = await this.parts.told(verdict);
    if (!isAccepted) return told;
    this.asking.stop(approvalId);
    listeners.emit("approval_answered", { approvalId, end, by: "unknown", ...answer });
    return told;
  }

  private async resumed(approvalId: string): Promise<Verdict> {
    const { parts } = this;
    if (this.denials.has(approvalId)) return parts.told(parts.denied());
    const verdict = await parts.decided((session) => parts.decisions.resume(session, approvalId));
    this.grant(approvalId, verdict);
    // Asking again about a call that still waits is no decision.
    return verdict.kind === "approval_required" ? verdict : parts.told(verdict);
  }

  private grant(approvalId: string, verdict: Verdict): void {
    const waiter = this.waiters.get(approvalId);
    if (waiter !== undefined && verdict.kind === "allow" && verdict.repeated !== true) waiter.isGranted = true;
  }

  /** What an approver denied stays denied, whatever the store does. */
  private async surelyDenied(approvalId: string, answer: Answer): Promise<Verdict> {
    const verdict = await this.answered(approvalId, "denied", answer);
    if (verdict.kind !== "block" || !FAULTS.has(verdict.reason)) return verdict;
    this.denials.owe(approvalId);
    return this.parts.denied();
  }

  private async recordDenial(approvalId: string): Promise<boolean> {
    const { ledger, decisions } = this.parts;
    try {
      await ledger.transact((session) => decisions.denyLate(session, approvalId));
      return true;
    } catch {
      return false;
    }
  }
}
