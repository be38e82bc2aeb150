import { foreignErrorName } from "../../base/foreign-value.js";
import type { Answer, ApprovalAnswer, ApprovalRequest, Clock, Verdict } from "../public.js";
import { TIMED_OUT, within } from "../wrap/within.js";

type Approver = (request: ApprovalRequest) => Promise<ApprovalAnswer>;

/** What follows from the answer of an approver. */
export interface Answering {
  readonly clock: Clock;
  approve(approvalId: string, answer: Answer): Promise<Verdict>;
  deny(approvalId: string, answer: Answer): Promise<Verdict>;
  /** The verdict if no answer came in time. */
  unanswered(approvalId: string): Promise<Verdict>;
}

interface Question {
  readonly verdict: Promise<Verdict>;
  stop(): void;
}

const LATE: unique symbol = Symbol("late");

/** Asks approvers that are functions. The session is paused meanwhile; an approver that fails denies. */
export class Asking {
  private readonly questions = new Map<string, Question>();

  constructor(private readonly answering: Answering) {}

  /** The verdict on a call whose approver is being asked; undefined if none is. */
  verdictOn(approvalId: string): Promise<Verdict> | undefined {
    return this.questions.get(approvalId)?.verdict;
  }

  /** Stops waiting for the approver; later answers are ignored. */
  stop(approvalId: string): void {
    this.questions.get(approvalId)?.stop();
  }

  /** The same for all of them. */
  stopAll(): void {
    for (const { stop } of this.questions.values()) stop();
  }

  /** Asks; returns the verdict that the answer, or its absence, leads to. */
  ask(approver: Approver, request: ApprovalRequest): Promise<Verdict> {
    const { approvalId } = request;
    let stop: () => void = () => undefined;
    const stopped = new Promise<typeof LATE>((resolve) => {
      stop = () => resolve(LATE);
    });
    // Asked after the question is registered: an approver may itself stop it.
    const verdict = Promise.resolve()
      .then(() => this.consult(approver, request, stopped))
      .finally(() => this.questions.delete(approvalId));
    // The caller may have left: a failure must not become an unhandled rejection.
    verdict.catch(() => undefined);
    this.questions.set(approvalId, { verdict, stop });
    return verdict;
  }

  private async consult(approver: Approver, request: ApprovalRequest, stopped: Promise<typeof LATE>): Promise<Verdict> {
    const { approvalId, deadline } = request;
    try {
      const answer = await this.beforeDeadline(() => approver(request), deadline, stopped);
      if (answer === LATE) return await this.answering.unanswered(approvalId);
      const { decision, by, note } = answer;
      const given = { by, ...(note === undefined ? {} : { note }) };
      return decision === "approve"
        ? await this.answering.approve(approvalId, given)
        : await this.answering.deny(approvalId, given);
    } catch (cause) {
      return this.answering.deny(approvalId, { by: "approver", note: `failed: ${foreignErrorName(cause)}` });
    }
  }

  /** The answer of an approver, or LATE if the deadline or a stop comes first. */
  private async beforeDeadline(
    ask: () => Promise<ApprovalAnswer>,
    deadline: number,
    stopped: Promise<typeof LATE>,
  ): Promise<ApprovalAnswer | typeof LATE> {
    const { clock } = this.answering;
    let left = deadline - clock.now();
    const ended = Promise.race([ask(), stopped]);
    // A failure that comes too late is ignored.
    ended.catch(() => undefined);
    // A timer may fire early by this clock, and the clock may be set back meanwhile.
    while (left > 0) {
      const answer = await within(left, ended);
      if (answer !== TIMED_OUT) return answer;
      left = deadline - clock.now();
    }
    return LATE;
  }
}
