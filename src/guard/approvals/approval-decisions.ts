import type { Place } from "../../artifact/compiled-value.js";
import type { Reason } from "../../artifact/reasons.js";
import { triggeredOf } from "../checks/checkpoint.js";
import { admit, judge } from "../decide/decide.js";
import type { Decided, Proposals } from "../decide/proposals.js";
import { type Block, block, type Decision, NO_APPROVER } from "../decide/verdict.js";
import type { Program, Proposal } from "../program/program.js";
import type { ApprovalVerdict, BlockVerdict, Checkpoints } from "../public.js";
import type { Setting } from "../resolved-options.js";
import type { SessionEvent } from "../session/event.js";
import type { ApprovalEnd, PendingApproval } from "../session/pending-approval.js";
import { callIdOf, type Session, unsettledCall } from "../session/session.js";
import type { Said } from "./answer.js";
import { contextOf } from "./approval-context.js";

/** Why an answer to an approval that has ended changes nothing. */
const TOO_LATE: Readonly<Record<ApprovalEnd, Reason>> = {
  approved: "approval_used",
  denied: "approval_used",
  expired: "approval_expired",
  resumed: "approval_expired",
  withdrawn: "approval_withdrawn",
};

/** Decides about calls that a person has to approve. Changes nothing itself. */
export class ApprovalDecisions {
  constructor(
    private readonly program: Program,
    private readonly setting: Setting,
    private readonly proposals: Proposals,
  ) {}

  /** Answers a pending approval; an approved call is judged anew. */
  answer(session: Session, approvalId: string, end: "approved" | "denied", said: Said): Decided {
    const request = session.approval;
    if (request?.id !== approvalId) return this.tooLate(session, approvalId);
    const ended: SessionEvent = { kind: "approval_ended", approvalId, end, ...said };
    if (this.setting.clock.now() >= request.deadline) {
      const late = this.proposals.verdictOf(
        session,
        block("approval_expired", request.rule ?? null, "an answer before the deadline", "a late one"),
      );
      // With `on_timeout: allow` the call is still to be resumed.
      return { events: request.onTimeout === "deny" ? [{ ...ended, end: "expired" }] : [], result: late };
    }
    if (end === "approved") return this.judgeAnew(session, request, ended);
    return this.proposals.refuse(session, block("approval_denied", request.rule ?? null, "an approval", "a denial"), [
      ended,
    ]);
  }

  /** Records a denial that came in time but could not be recorded then; nothing where the request has ended otherwise. */
  denyLate(session: Session, approvalId: string): Decided {
    const request = session.approval?.id === approvalId ? session.approval : session.resumable.get(approvalId);
    const refusal = block("approval_denied", request?.rule ?? null, "an approval", "a denial");
    if (request === undefined) return { events: [], result: this.proposals.verdictOf(session, refusal) };
    return this.proposals.refuse(session, refusal, [{ kind: "approval_ended", approvalId, end: "denied" }]);
  }

  /** The verdict on a call that waited: still waiting, let through by a person or the clock, or refused. */
  resume(session: Session, approvalId: string): Decided {
    const pending = session.approval?.id === approvalId ? session.approval : null;
    const answered = session.answered.get(approvalId);
    const callId = pending?.callId ?? answered?.callId;
    if (callId === undefined) return this.tooLate(session, approvalId);
    // The verdict is told again only while its call is still running; somebody makes that call already.
    if (unsettledCall(session, callId)?.status === "running") {
      if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
      return { events: [], result: { kind: "allow", callId, repeated: true } };
    }
    switch (answered?.end) {
      case "approved":
      case "resumed":
        return this.ended(session, "approval_used", "an approval used before");
      case "denied":
        return this.ended(session, "approval_denied", "a denial", answered?.rule);
      case "withdrawn":
        return this.ended(session, "approval_withdrawn", "a request that was withdrawn", answered?.rule);
      case "expired":
        return this.resumeExpired(session, session.resumable.get(approvalId));
      case undefined:
        return pending === null ? this.tooLate(session, approvalId) : this.resumePending(session, pending);
    }
  }

  /** The refusal that the checkpoints of a call come to; null where they let it pass or somebody can be asked. */
  refusedAt(decision: Decision): Block | null {
    if (decision.kind === "block") return decision;
    return decision.kind === "allow" || this.setting.approver !== undefined ? null : noApprover(decision.checkpoints);
  }

  /** What asking for an approval would come to, where nothing is refused. */
  would(session: Session, proposal: Proposal, checkpoints: Checkpoints): BlockVerdict | ApprovalVerdict {
    if (this.setting.approver === undefined) return this.proposals.verdictOf(session, noApprover(checkpoints));
    return this.approvalVerdict(proposal, checkpoints, this.requestFor(session, proposal, checkpoints));
  }

  private requestFor(session: Session, { tool, args }: Proposal, checkpoints: Checkpoints): PendingApproval {
    const [first] = checkpoints;
    const seconds = Math.min(...checkpoints.map(({ timeout_seconds: timeout }) => timeout));
    return {
      id: `approval_${session.issued + 1}`,
      callId: callIdOf(session.issued + 1),
      tool: tool.name,
      args,
      deadline: this.setting.clock.now() + seconds * 1000,
      onTimeout: checkpoints.every(({ on_timeout: end }) => end === "allow") ? "allow" : "deny",
      artifactHash: this.program.artifact.hash,
      ...(first === undefined ? {} : { rule: first.at }),
    };
  }

  private approvalVerdict(
    { tool, args }: Proposal,
    checkpoints: Checkpoints,
    request: PendingApproval,
  ): ApprovalVerdict {
    const fields = checkpoints.flatMap(({ context }) => context);
    return {
      kind: "approval_required",
      approvalId: request.id,
      callId: request.callId,
      message: `a call of \`${tool.name}\` needs an approval`,
      rules: checkpoints.map(({ at }) => ({ ...at })),
      deadline: request.deadline,
      context: contextOf(fields, args),
    };
  }

  /** What is told of a call that still waits. */
  waitingVerdict(proposal: Proposal, request: PendingApproval): ApprovalVerdict {
    const asked = triggeredOf(proposal, this.program.env);
    return this.approvalVerdict(proposal, asked, request);
  }

  /** Asks for an approval of a call; without anybody to ask it is refused. */
  request(session: Session, proposal: Proposal, checkpoints: Checkpoints, key: string | undefined): Decided {
    if (this.setting.approver === undefined) return this.proposals.refuse(session, noApprover(checkpoints));
    const asked = this.requestFor(session, proposal, checkpoints);
    const request = key === undefined ? asked : { ...asked, key };
    return {
      events: [{ kind: "approval_requested", request }],
      result: this.approvalVerdict(proposal, checkpoints, request),
    };
  }

  private tooLate(session: Session, approvalId: string): Decided {
    const end = session.answered.get(approvalId)?.end;
    const reason = end === undefined ? "approval_mismatch" : TOO_LATE[end];
    return {
      events: [],
      result: this.proposals.verdictOf(session, block(reason, null, "a pending approval", end ?? "an unknown one")),
    };
  }

  /** Judges a call against the state of this moment, once a person or the clock has let it pass its checkpoints. */
  private judgeAnew(session: Session, request: PendingApproval, ended: SessionEvent): Decided {
    if (request.artifactHash !== this.program.artifact.hash) {
      const refusal = block("approval_mismatch", null, "an approval under these contracts", "one under others");
      return { events: [ended], result: this.proposals.verdictOf(session, refusal) };
    }
    const proposal = this.proposals.of(request.tool, request.args);
    if (proposal.kind === "block") return this.proposals.refuse(session, proposal, [ended]);
    const refused =
      admit(session, this.proposals.now(session), request.id) ??
      this.proposals.unmatched(proposal) ??
      judge(this.program, session, proposal);
    if (refused !== null) return this.proposals.refuse(session, refused, [ended]);
    const { events, result } = this.proposals.reserve(session, proposal, request.key, request);
    return { events: [ended, ...events], result };
  }

  private ended(session: Session, reason: Reason, found: string, rule?: Place): Decided {
    return {
      events: [],
      result: this.proposals.verdictOf(session, block(reason, rule ?? null, "a pending approval", found)),
    };
  }

  private resumePending(session: Session, request: PendingApproval): Decided {
    if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
    if (this.setting.clock.now() < request.deadline) {
      const proposal = this.proposals.of(request.tool, request.args);
      if (proposal.kind === "block") return this.proposals.refuse(session, proposal);
      return { events: [], result: this.waitingVerdict(proposal, request) };
    }
    if (request.onTimeout === "allow") return this.resumeExpired(session, request);
    const { result } = this.ended(session, "approval_expired", "a deadline that passed", request.rule);
    return { events: [{ kind: "approval_ended", approvalId: request.id, end: "expired" }], result };
  }

  /** Judges a call anew that nobody answered in time and that silence lets through; undefined where it does not. */
  private resumeExpired(session: Session, request: PendingApproval | undefined): Decided {
    if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
    if (request === undefined) return this.ended(session, "approval_expired", "a deadline that passed");
    const paused = admit(session, this.proposals.now(session), request.id);
    // It only has to wait: the pause of another call does not use it up.
    if (paused !== null) return { events: [], result: this.proposals.verdictOf(session, paused) };
    return this.judgeAnew(session, request, { kind: "approval_ended", approvalId: request.id, end: "resumed" });
  }
}

function noApprover(checkpoints: Checkpoints): Block {
  return block("approval_denied", checkpoints[0]?.at ?? null, "an approval", NO_APPROVER);
}
