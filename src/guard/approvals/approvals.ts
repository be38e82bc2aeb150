import { setImmediate as nextTurn } from "node:timers/promises";
import { foreignErrorName } from "../../base/foreign-value.js";
import type { Decided } from "../decide/proposals.js";
import type { Listeners } from "../listeners.js";
import type { Answer, ApprovalRequest, ApprovalVerdict, BlockVerdict, GuardOptions, Verdict } from "../public.js";
import type { Setting } from "../resolved-options.js";
import type { Ledger } from "../session/ledger.js";
import { type Session, unsettledCall } from "../session/session.js";
import { checkedAnswer, readAnswer } from "./answer.js";
import type { ApprovalDecisions } from "./approval-decisions.js";
import { Asking } from "./asking.js";
import { type OwedEnd, OwedEnds } from "./owed-ends.js";

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
  /** The refusal of a call whose approval has ended so. */
  refused(end: OwedEnd): BlockVerdict;
  /** Gives back the reservation of a call that nobody makes. */
  release(callId: string): Promise<unknown>;
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
  private readonly owed = new OwedEnds();
  private readonly waiters = new Map<string, Waiter>();

  constructor(private readonly parts: Parts) {
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

  /**
   * Takes back a request that nobody waits for any more, or the reservation it has led to meanwhile. That holds here at once,
   * and in the store as soon as that answers.
   */
  async withdraw(request: ApprovalVerdict): Promise<void> {
    const { approvalId } = request;
    // What was denied needs no other end.
    if (!this.owed.hold(approvalId, "withdrawn")) return;
    const waiter = this.waiters.get(approvalId);
    const taking = this.takeBack(request, () => this.isOwn(approvalId));
    this.asking.stop(approvalId);
    try {
      await taking;
      this.owed.drop(approvalId);
    } catch (cause) {
      process.emitWarning(`an approval request could not be withdrawn so far: ${foreignErrorName(cause)}`);
      // Later on only what this guard has surely reserved: another one may make what it approved meanwhile.
      void this.owed.owe(approvalId, () => this.takeBack(request, () => waiter?.isGranted === true));
    }
  }

  private async takeBack({ approvalId, callId }: ApprovalVerdict, isOwn: () => boolean): Promise<void> {
    const { ledger, listeners, release } = this.parts;
    const isTaken = await ledger.transact(({ approval, resumable }) => {
      const isWaiting = approval?.id === approvalId || resumable.has(approvalId);
      const withdrawn = { kind: "approval_ended", approvalId, end: "withdrawn" } as const;
      return { events: isWaiting ? [withdrawn] : [], result: isWaiting };
    });
    if (isTaken) {
      listeners.emit("approval_answered", { approvalId, end: "withdrawn", by: "the caller" });
      return;
    }
    // What this guard has just reserved is known here a moment later.
    await nextTurn();
    const isReserved = unsettledCall(ledger.session, callId)?.status === "running";
    if (isReserved && isOwn()) await release(callId);
  }

  private isOwn(approvalId: string): boolean {
    const { session } = this.parts.ledger;
    return this.waiters.get(approvalId)?.isGranted === true || session.answered.get(approvalId)?.end === "approved";
  }

  private async answered(approvalId: string, end: "approved" | "denied", given: unknown): Promise<Verdict> {
    const { decisions, listeners } = this.parts;
    const answer = end === "approved" ? checkedAnswer(given) : (readAnswer(given) ?? {});
    const owed = end === "approved" ? this.owed.unrecorded(approvalId) : undefined;
    if (owed !== undefined) return this.parts.told(this.parts.refused(owed));
    let accepted: Verdict | null = null;
    const verdict = await this.parts.decided((session) => {
      const decided = decisions.answer(session, approvalId, end, answer);
      const step = end === "approved" ? this.unlessEnded(approvalId, decided) : decided;
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
    const owed = this.owed.unrecorded(approvalId);
    if (owed !== undefined) return parts.told(parts.refused(owed));
    const verdict = await parts.decided((session) =>
      this.unlessEnded(approvalId, parts.decisions.resume(session, approvalId)),
    );
    this.grant(approvalId, verdict);
    // Asking again about a call that still waits is no decision.
    return verdict.kind === "approval_required" ? verdict : parts.told(verdict);
  }

  private grant(approvalId: string, verdict: Verdict): void {
    const waiter = this.waiters.get(approvalId);
    if (waiter !== undefined && verdict.kind === "allow" && verdict.repeated !== true) waiter.isGranted = true;
  }

  /** A step about an approval, unless it would let a call pass, or wait, whose approval has ended here. */
  private unlessEnded(approvalId: string, step: Decided): Decided {
    const end = this.owed.of(approvalId);
    return end === undefined || step.result.kind === "block" ? step : { events: [], result: this.parts.refused(end) };
  }

  /** What an approver denied stays denied, whatever the store does, and whoever approves it meanwhile. */
  private async surelyDenied(approvalId: string, answer: Answer): Promise<Verdict> {
    const { ledger, decisions, refused } = this.parts;
    // Where it was withdrawn before, that is the end that is recorded.
    const isHeld = this.owed.hold(approvalId, "denied");
    const verdict = await this.answered(approvalId, "denied", answer);
    const isRecorded = verdict.kind !== "block" || !FAULTS.has(verdict.reason);
    if (isHeld && isRecorded) this.owed.drop(approvalId);
    if (isRecorded) return verdict;
    const record = () => ledger.transact((session) => decisions.denyLate(session, approvalId));
    if (isHeld) void this.owed.owe(approvalId, record);
    return refused("denied");
  }
}
