import type { Event } from "./history.js";
import { type Asked, block, type Options, type Reason, type Recorded, type State, type Verdict } from "./model.js";
import {
  type ApprovalRequest,
  answerTo,
  approversOf,
  isDecided,
  isPast,
  isPaused,
  isRequester,
  refusalOfAll,
  refusalOfPerson,
  requestsOf,
} from "./requests.js";

/** The part of a guard that answers need. */
interface Answered {
  readonly events: readonly Event[];
  readonly clock: Options["clock"];
  record(event: Event): void;
  /** Checkpoints aside, against the state of this moment. */
  decideAnew(request: ApprovalRequest): Verdict;
  unsettled(): State["unsettled"];
  /** Whether the session belongs to a workflow. */
  readonly isSeated: boolean;
  /** Why nothing new may happen in the session; null while it may. */
  ended(): Reason | null;
}

/** Answers to requests for approvals through one guard of the session. */
export class Approvals {
  constructor(
    private readonly self: number,
    private readonly session: Answered,
  ) {}

  /** The last approval that is needed lets the guard that proposed the call decide it; any other one is only recorded. */
  approve(approvalId: string, by: string): Verdict | Recorded {
    const { events } = this.session;
    const request = this.request(approvalId);
    if (request === undefined) return block("approval_mismatch");
    const refusal = this.refuse(request) ?? this.refuseForLater(request);
    if (refusal !== null) return block(refusal, wordsOfEnd(request, refusal));
    const unfit = refusalOfPerson(events, request, by);
    if (unfit !== null) return block(unfit, request.because);
    this.session.record({ kind: "answered", approvalId, answer: "approve", by });
    const isGranted = answerTo(events, request) === "approve";
    return isGranted && request.guard === this.self ? this.session.decideAnew(request) : this.recorded(request);
  }

  /** One person is enough to deny a call, and anybody but the one who asked may. */
  deny(approvalId: string, by: string): Verdict | Recorded {
    const request = this.request(approvalId);
    if (request === undefined) return block("approval_mismatch");
    const refusal = this.refuse(request);
    if (refusal !== null) return block(refusal, wordsOfEnd(request, refusal));
    if (isRequester(request, by)) return block("approver_is_requester", request.because);
    this.session.record({ kind: "answered", approvalId, answer: "deny", by });
    this.session.record({ kind: "blocked" });
    return request.guard === this.self ? block("approval_denied", request.because) : this.recorded(request);
  }

  /** The caller that waited for the approval gave up; a request that has ended stays as it is. */
  withdraw(approvalId: string): void {
    const request = this.request(approvalId);
    if (request === undefined || this.refuse(request) !== null) return;
    this.session.record({ kind: "answered", approvalId, answer: "withdraw", by: "" });
  }

  /** A call is judged again once. The verdict is repeated, marked, only while the call is running: its caller has it. */
  resume(approvalId: string): Verdict {
    const { events, clock } = this.session;
    const request = this.request(approvalId);
    if (request === undefined) return block("approval_mismatch");
    const { callId } = request;
    const isRunning = this.session.unsettled().some((call) => call.callId === callId && call.status === "running");
    const ended = this.session.ended();
    if (isRunning && ended !== null && isKill(ended)) return block(ended);
    if (isRunning) return { kind: "allow", callId, repeated: true };
    if (isDecided(events, request)) return block("approval_used");
    const answer = answerTo(events, request);
    if (answer === "deny") return block("approval_denied", request.because);
    if (answer === "withdraw") return block("approval_withdrawn", request.because);
    if (ended !== null) return this.endedMeanwhile(request, ended);
    const now = clock.now();
    if (answer === null && !isPast(request, now)) return this.asked(request);
    if (answer === null && request.onTimeout === "deny") return block("approval_expired", request.because);
    // A pause by another call only delays it.
    return isPaused(events, now, approvalId) ? block("session_paused") : this.session.decideAnew(request);
  }

  /** Nobody waits any more in a session that its workflow has ended, even if the call was approved. */
  private endedMeanwhile(request: ApprovalRequest, reason: Reason): Verdict {
    const { events, clock, isSeated } = this.session;
    const { approvalId } = request;
    const isOpen = answerTo(events, request) === "approve" || !isPast(request, clock.now());
    if (isSeated && isOpen) this.session.record({ kind: "answered", approvalId, answer: "withdraw", by: "" });
    return block(reason);
  }

  /** The verdict on a call that waits for an approval; null if there is no such request. */
  waiting(approvalId: string): Asked | null {
    const request = this.request(approvalId);
    return request === undefined ? null : this.asked(request);
  }

  private request(approvalId: string): ApprovalRequest | undefined {
    return requestsOf(this.session.events).find((candidate) => candidate.approvalId === approvalId);
  }

  private refuse(request: ApprovalRequest): Reason | null {
    return refusalOfAll(this.session.events, request, this.session.clock.now());
  }

  /** Only the guard that proposed the call judges it at once; an approval for later is of no use once the session has ended. */
  private refuseForLater({ guard }: ApprovalRequest): Reason | null {
    return guard !== this.self ? this.session.ended() : null;
  }

  private asked(request: ApprovalRequest): Asked {
    const { approvalId, callId, because } = request;
    return {
      kind: "approval_required",
      approvalId,
      callId,
      because,
      approvedBy: approversOf(this.session.events, request),
    };
  }

  private recorded(request: ApprovalRequest): Recorded {
    return { kind: "recorded", approvals: approversOf(this.session.events, request).length, needed: request.quorum };
  }
}

/** The words of the checkpoint, where the request was not answered. */
function wordsOfEnd({ because }: ApprovalRequest, reason: Reason): string | undefined {
  return reason === "approval_expired" || reason === "approval_withdrawn" ? because : undefined;
}

/** What is closed, or is to end, may finish what is running. */
function isKill(reason: Reason): boolean {
  return reason === "session_killed" || reason === "workflow_killed";
}
