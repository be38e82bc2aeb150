import type { Reason } from "../../artifact/reasons.js";
import { reasonOf } from "../checks/checkpoint.js";
import { admit, judge, paused } from "../decide/decide.js";
import type { Decided, Proposals } from "../decide/proposals.js";
import { type Block, becauseIn, block, type Decision } from "../decide/verdict.js";
import type { Program, Proposal } from "../program/program.js";
import { timed } from "../program/proposal.js";
import type { ApprovalVerdict, BlockVerdict, Checkpoints, RecordedAnswer, Verdict } from "../public.js";
import type { ResolvedOptions } from "../resolved-options.js";
import type { SessionEvent } from "../session/event.js";
import type { Step } from "../session/ledger.js";
import type { ApprovalEnd, PendingApproval } from "../session/pending-approval.js";
import { callIdOf, type Session, unsettledCall } from "../session/session.js";
import type { AnswerFields } from "./answer.js";
import { contextOf } from "./approval-context.js";
import { type Asking, approverRefusal, blockFor, noApprover, requesterRefusal } from "./approval-refusals.js";
import { askingOf, uncovered } from "./covered-checkpoints.js";

/** The reason why an answer comes too late, by the end of the approval. */
const TOO_LATE: Readonly<Record<ApprovalEnd, Reason>> = {
  approved: "approval_used",
  granted: "approval_used",
  denied: "approval_used",
  expired: "approval_expired",
  resumed: "approval_expired",
  withdrawn: "approval_withdrawn",
};

/** Decides about calls that need an approval. Changes nothing itself. */
export class ApprovalDecisions {
  constructor(
    private readonly program: Program,
    private readonly options: ResolvedOptions,
    private readonly proposals: Proposals,
  ) {}

  /**
   * Answers a pending approval. With the last approval that is needed the guard that proposed judges the call again; through any
   * other guard the answer is recorded.
   */
  answer(
    session: Session,
    approvalId: string,
    end: "approved" | "denied",
    answer: AnswerFields,
  ): Step<Verdict | RecordedAnswer> {
    const request = session.approval;
    // Not `request?.id`: an id that is undefined would match where there is no request.
    if (request === null || request.id !== approvalId) return this.tooLate(session, approvalId);
    const ended: SessionEvent = { kind: "approval_ended", approvalId, end, ...answer };
    if (this.options.clock.now() >= request.deadline) {
      const late = this.proposals.verdictOf(
        session,
        blockFor(request, "approval_expired", "an answer before the deadline", "a late one"),
      );
      // With `on_timeout: allow` the call can still be resumed.
      return { events: request.onTimeout === "deny" ? [{ ...ended, end: "expired" }] : [], result: late };
    }
    if (end === "approved") return this.approve(session, request, ended, answer);
    const own = requesterRefusal(request, answer.by);
    if (own !== null) return { events: [], result: this.proposals.verdictOf(session, own) };
    const denied = blockFor(request, "approval_denied", "an approval", "a denial");
    const refused = this.proposals.refuse(session, denied, [ended]);
    return this.isOwn(request) ? refused : { events: refused.events, result: recorded(request) };
  }

  private approve(
    session: Session,
    request: PendingApproval,
    ended: SessionEvent & { readonly kind: "approval_ended" },
    answer: AnswerFields,
  ): Step<Verdict | RecordedAnswer> {
    const refused = this.isOwn(request)
      ? approverRefusal(request, answer.by)
      : this.foreignRefusal(session, request, answer.by);
    if (refused !== null) return { events: [], result: this.proposals.verdictOf(session, refused) };
    const { approvedBy = [], needed = 1 } = request;
    const { by = "unknown", note } = answer;
    const given: SessionEvent = {
      kind: "approval_given",
      approvalId: request.id,
      by,
      ...(note === undefined ? {} : { note }),
    };
    const approvals = [...approvedBy, by];
    const result = recorded({ ...request, approvedBy: approvals });
    if (approvals.length < needed) return { events: [given], result };
    if (this.isOwn(request)) return this.judgeAgain(session, request, ended);
    return { events: [given, { ...ended, end: "granted" }], result };
  }

  /** The same for an answer that another guard gave: it must judge by the same contracts, and no verdict tells of a kill. */
  private foreignRefusal(session: Session, request: PendingApproval, by: string | undefined): Block | null {
    const over = this.over();
    if (over !== null) return over;
    if (session.isKilled) return block("session_killed", null, "a session that lives", session.killedWhy);
    if (request.artifactHash === this.program.artifact.hash) return approverRefusal(request, by);
    return block("approval_mismatch", null, "an approval under these contracts", "one under others");
  }

  /** Why the workflow lets the session do nothing more; null if it does, or there is none. */
  private over(): Block | null {
    const { seat } = this.options;
    return seat === null ? null : seat.admit();
  }

  /** Whether the caller that waits for the answer is a caller of this guard. */
  private isOwn({ guard }: PendingApproval): boolean {
    return guard === this.options.guardId;
  }

  /** Records a denial that came in time but could not be recorded then; nothing if the request has ended otherwise. */
  denyLate(session: Session, approvalId: string): Decided {
    const request = session.approval?.id === approvalId ? session.approval : session.resumable.get(approvalId);
    const refusal = blockFor(request, "approval_denied", "an approval", "a denial");
    if (request === undefined) return { events: [], result: this.proposals.verdictOf(session, refusal) };
    return this.proposals.refuse(session, refusal, [{ kind: "approval_ended", approvalId, end: "denied" }]);
  }

  /** The verdict on a call that needed an approval: still pending, allowed by an approver or by its timeout, or refused. */
  resume(session: Session, approvalId: string): Decided {
    const pending = session.approval?.id === approvalId ? session.approval : null;
    const answered = session.answered.get(approvalId);
    const callId = pending?.callId ?? answered?.callId;
    if (callId === undefined) return this.tooLate(session, approvalId);
    // The verdict is repeated only while its call is running; another caller sends that call.
    if (unsettledCall(session, callId)?.status === "running") {
      const { seat } = this.options;
      const killed = seat === null ? null : seat.killed();
      if (killed !== null) return { events: [], result: this.proposals.verdictOf(session, killed) };
      if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
      return { events: [], result: { kind: "allow", callId, repeated: true } };
    }
    switch (answered?.end) {
      case "approved":
      case "resumed":
        return this.ended(session, "approval_used", "an approval that was already used");
      case "denied":
        return this.ended(session, "approval_denied", "a denial", answered);
      case "withdrawn":
        return this.ended(session, "approval_withdrawn", "a request that was withdrawn", answered);
      case "granted":
      case "expired":
        return this.resumeEnded(session, session.resumable.get(approvalId), answered);
      case undefined:
        return pending === null ? this.tooLate(session, approvalId) : this.resumePending(session, pending);
    }
  }

  /** The refusal by the checkpoints of a call; null if they allow it or an approver can be asked. */
  refusedAt(decision: Decision): Block | null {
    if (decision.kind === "block") return decision;
    return decision.kind === "allow" || this.options.approver !== undefined ? null : noApprover(decision.checkpoints);
  }

  /** The verdict of enforce mode on a call that needs an approval. */
  would(session: Session, proposal: Proposal, checkpoints: Checkpoints): BlockVerdict | ApprovalVerdict {
    if (this.options.approver === undefined) return this.proposals.verdictOf(session, noApprover(checkpoints));
    return this.waitingVerdict(this.requestFor(session, proposal, checkpoints));
  }

  private requestFor(session: Session, { tool, args, digest }: Proposal, checkpoints: Checkpoints): PendingApproval {
    const [first] = checkpoints;
    const { clock, recording, guardId, requester, approvals } = this.options;
    const seconds = Math.min(...checkpoints.map(({ timeout_seconds: timeout }) => timeout));
    return {
      id: recording === null ? `approval_${session.issued + 1}` : recording.approvalId(session.issued + 1),
      callId: callIdOf(session.issued + 1),
      tool: tool.name,
      args: recording === null ? args : recording.args(tool, args),
      deadline: clock.now() + seconds * 1000,
      onTimeout: checkpoints.every(({ on_timeout: end }) => end === "allow") ? "allow" : "deny",
      artifactHash: this.program.artifact.hash,
      ...(first === undefined ? {} : { rule: first.at }),
      ...(digest === undefined ? {} : { digest }),
      guard: guardId,
      ...(requester === null ? {} : { requester, notRequester: approvals.notRequester }),
      needed: approvals.quorum,
      context: contextOf(
        checkpoints.flatMap(({ context }) => context),
        args,
      ),
      rules: checkpoints.map(({ at }) => at),
      ...askingOf(tool, checkpoints),
      ...reasonOf(checkpoints),
    };
  }

  /** The verdict on a call that waits: what was asked for, whatever the checkpoints would ask by now. */
  waitingVerdict(request: PendingApproval): ApprovalVerdict {
    const { tool, rule, rules = rule === undefined ? [] : [rule], context = [], approvedBy } = request;
    return {
      kind: "approval_required",
      approvalId: request.id,
      callId: request.callId,
      message: `a call of \`${tool}\` needs an approval`,
      rules: rules.map((at) => ({ ...at })),
      ...becauseIn(request),
      deadline: request.deadline,
      // Copied: the caller must not change what approvers are shown.
      context: structuredClone([...context]),
      ...(approvedBy === undefined ? {} : { approvedBy: [...approvedBy] }),
    };
  }

  /** Asks for an approval of a call; without an approver it is refused. */
  request(session: Session, proposal: Proposal, checkpoints: Checkpoints, key: string | undefined): Decided {
    if (this.options.approver === undefined) return this.proposals.refuse(session, noApprover(checkpoints));
    const asked = this.requestFor(session, proposal, checkpoints);
    const request = key === undefined ? asked : { ...asked, key };
    return {
      events: [{ kind: "approval_requested", request }],
      result: this.waitingVerdict(request),
    };
  }

  private tooLate(session: Session, approvalId: string): Decided {
    const answered = session.answered.get(approvalId);
    const { end } = answered ?? {};
    const reason = end === undefined ? "approval_mismatch" : TOO_LATE[end];
    // What was answered is not refused by its checkpoint.
    return this.ended(session, reason, end ?? "an unknown one", reason === "approval_used" ? undefined : answered);
  }

  /** Judges a call against the present state, once an approver or its timeout has let it pass its checkpoints. */
  private judgeAgain(session: Session, request: PendingApproval, ended: SessionEvent): Decided {
    if (request.artifactHash !== this.program.artifact.hash) {
      const refusal = block("approval_mismatch", null, "an approval under these contracts", "one under others");
      return { events: [ended], result: this.proposals.verdictOf(session, refusal) };
    }
    const proposed = this.proposals.again(request);
    if (proposed.kind === "block") return this.proposals.refuse(session, proposed, [ended]);
    const proposal = timed(proposed, this.options.clock);
    const { seat } = this.options;
    const refused =
      this.over() ??
      admit(session, this.proposals.now(session), request.id) ??
      this.proposals.unmatched(proposal) ??
      judge(this.program, session, proposal) ??
      (seat === null ? null : seat.refuse(session, proposal)) ??
      uncovered(request, proposal, { program: this.program, session });
    if (refused !== null) return this.proposals.refuse(session, refused, [ended]);
    const { events, result } = this.proposals.reserve(session, proposal, request.key, request);
    return { events: [ended, ...events], result };
  }

  private ended(session: Session, reason: Reason, found: string, request?: Asking): Decided {
    const refusal = blockFor(request, reason, "a pending approval", found);
    return { events: [], result: this.proposals.verdictOf(session, refusal) };
  }

  private resumePending(session: Session, request: PendingApproval): Decided {
    const over = this.over();
    // Not read before it matters: a clock may fail, and a kill is final.
    const isPast = () => this.options.clock.now() >= request.deadline;
    // Nobody may approve it any more.
    if (over !== null) return this.proposals.refuse(session, over, [isPast() ? expired(request) : withdrawn(request)]);
    if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
    if (!isPast()) {
      const proposal = this.proposals.again(request);
      if (proposal.kind === "block") return this.proposals.refuse(session, proposal);
      return { events: [], result: this.waitingVerdict(request) };
    }
    if (request.onTimeout === "allow") return this.resumeEnded(session, request, request);
    const { result } = this.ended(session, "approval_expired", "a deadline that passed", request);
    return { events: [expired(request)], result };
  }

  /** Judges a call again that was granted, or expired with `on_timeout: allow`; the request is undefined if it did neither. */
  private resumeEnded(session: Session, request: PendingApproval | undefined, asking: Asking): Decided {
    const isGranted = request !== undefined && session.answered.get(request.id)?.end === "granted";
    const over = this.over();
    if (over !== null) return this.proposals.refuse(session, over, isGranted ? [withdrawn(request)] : []);
    if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
    if (request === undefined) return this.ended(session, "approval_expired", "a deadline that passed", asking);
    const refused = paused(session, this.proposals.now(session), request.id);
    // It only has to wait: the pending approval of another call does not use it up. Whatever else refuses the call does.
    if (refused !== null) return { events: [], result: this.proposals.verdictOf(session, refused) };
    const end = isGranted ? "approved" : "resumed";
    return this.judgeAgain(session, request, { kind: "approval_ended", approvalId: request.id, end });
  }
}

function withdrawn({ id }: PendingApproval): SessionEvent {
  return { kind: "approval_ended", approvalId: id, end: "withdrawn" };
}

function expired({ id }: PendingApproval): SessionEvent {
  return { kind: "approval_ended", approvalId: id, end: "expired" };
}

function recorded({ approvedBy = [], needed = 1 }: PendingApproval): RecordedAnswer {
  return { kind: "recorded", approvals: approvedBy.length, needed };
}
