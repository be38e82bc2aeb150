import type { Place } from "../artifact/compiled-value.js";
import { REASONS, type Reason } from "../artifact/reasons.js";
import { isJsonObject } from "../base/json.js";
import { isTriggered } from "./checks/checkpoint.js";
import { admit, decide, explainAll, judge } from "./decide.js";
import type { SessionEvent } from "./event.js";
import { hintFor } from "./hint.js";
import type { Step } from "./ledger.js";
import { plainJson } from "./plain-json.js";
import type { Program } from "./program.js";
import type { Answer, ApprovalVerdict, BlockVerdict, Checkpoints, Verdict, VisibleTools } from "./public.js";
import { readAll } from "./read-path.js";
import { callIdOf, type PendingApproval, type Proposal, proposalOf, type Session, unsettledCall } from "./session.js";
import type { Setting } from "./setting.js";
import { type Block, block, type Decision, type NeedsApproval } from "./verdict.js";
import { visibleTools } from "./visible-tools.js";

type Decided = Step<Verdict>;

/** Turns what callers and approvers say into verdicts and the events that make them true. Changes nothing itself. */
export class Decisions {
  constructor(
    private readonly program: Program,
    private readonly setting: Setting,
  ) {}

  /** A call ready to be judged, or why it cannot be. */
  proposal(toolName: string, args: unknown): Proposal | Block {
    const plain = plainJson(args);
    if (!plain.ok || !isJsonObject(plain.value)) {
      return block(
        "arguments_not_json",
        null,
        "arguments that are a JSON object",
        plain.ok ? "another JSON value" : plain.what,
      );
    }
    const tool = this.program.tools.get(toolName) ?? this.program.unmatched(toolName);
    return proposalOf(tool, plain.value);
  }

  /** Judges a proposed call and reserves it where nothing stands in the way. */
  propose(session: Session, toolName: string, proposal: Proposal | Block): Decided {
    const now = this.now(session);
    const decided =
      proposal.kind === "block"
        ? this.proposeUnjudgeable(session, toolName, proposal)
        : this.proposeCall(session, proposal, now);
    const { approval } = session;
    if (approval === null || now < approval.deadline) return decided;
    // The deadline passed unnoticed; what follows is told after it.
    return {
      ...decided,
      events: [{ kind: "approval_ended", approvalId: approval.id, end: "expired" }, ...decided.events],
    };
  }

  /** Every check that would refuse a call now. */
  explain(session: Session, toolName: string, args: unknown): readonly BlockVerdict[] {
    const proposal = this.proposal(toolName, args);
    const refusals = proposal.kind === "block" ? [proposal] : this.refusals(session, proposal);
    return refusals.map((refusal) => this.verdictOf(session, refusal));
  }

  /** What the model should be offered now. Outside enforce mode nothing is refused but by a kill, so nothing is hidden. */
  visibleTools(session: Session): VisibleTools {
    const names = [...this.program.tools.keys()];
    if (this.setting.mode !== "enforce" && session.killed === null) return { visible: names, hidden: [] };
    return visibleTools(this.program, session, this.now(session));
  }

  /** Opens a step, unless the session has had them all. */
  beginStep(session: Session): Step<{ readonly kind: "allow" } | BlockVerdict> {
    const refused = this.stepRefusal(session);
    if (refused !== null) return { events: [], result: this.verdictOf(session, refused) };
    return { events: [{ kind: "step_begun" }], result: { kind: "allow" } };
  }

  /** Answers a pending approval; an approved call is judged anew. */
  answer(session: Session, approvalId: string, end: "approved" | "denied", { by, note }: Answer): Decided {
    const request = session.approval;
    if (request?.id !== approvalId) return this.tooLate(session, approvalId);
    const ended: SessionEvent = {
      kind: "approval_ended",
      approvalId,
      end,
      by,
      ...(note === undefined ? {} : { note }),
    };
    if (this.setting.clock.now() >= request.deadline) {
      const late = this.verdictOf(
        session,
        block("approval_expired", request.rule ?? null, "an answer before the deadline", "a late one"),
      );
      // With `on_timeout: allow` the call is still to be resumed.
      return { events: request.onTimeout === "deny" ? [{ ...ended, end: "expired" }] : [], result: late };
    }
    if (end === "approved") return this.judgeAnew(session, request, ended);
    return this.refuse(session, block("approval_denied", request.rule ?? null, "an approval", "a denial"), [ended]);
  }

  /** The verdict on a call that waited: still waiting, let through by a person or the clock, or refused. */
  resume(session: Session, approvalId: string): Decided {
    const answered = session.answered.get(approvalId);
    const request = session.approval?.id === approvalId ? session.approval : answered?.request;
    if (request === undefined) return this.tooLate(session, approvalId);
    // The verdict is told again only while its call is still running.
    if (unsettledCall(session, request.callId)?.status === "running") {
      return { events: [], result: { kind: "allow", callId: request.callId } };
    }
    switch (answered?.end) {
      case "approved":
      case "resumed":
        return this.ended(session, "approval_used", "an approval used before");
      case "denied":
        return this.ended(session, "approval_denied", "a denial", request.rule);
      case "expired":
      case undefined:
        return this.resumeUnanswered(session, request, answered === undefined);
    }
  }

  /** A refusal as callers see it. */
  verdictOf(session: Session, refusal: Block): BlockVerdict {
    const { reason, at, required, found } = refusal;
    const hint = hintFor(this.program, session, refusal, this.now(session));
    return {
      kind: "block",
      reason,
      message: REASONS[reason],
      ...(at === null ? {} : { rule: at }),
      required,
      found,
      hint,
    };
  }

  /** Outside enforce mode even a call that cannot be judged passes; nothing is known of its arguments. */
  private proposeUnjudgeable(session: Session, toolName: string, refusal: Block): Decided {
    const empty = this.proposal(toolName, {});
    if (this.setting.mode === "enforce" || empty.kind === "block") return this.refuse(session, refusal);
    return this.observe(session, empty, refusal);
  }

  private proposeCall(session: Session, proposal: Proposal, now: number): Decided {
    const decision = this.decide(session, proposal, now);
    if (this.setting.mode !== "enforce") return this.observe(session, proposal, decision);
    if (decision.kind === "block") return this.refuse(session, decision);
    return decision.kind === "allow"
      ? this.reserve(session, proposal)
      : this.request(session, proposal, decision.checkpoints);
  }

  /** The time, read only where it matters: a clock costs as much as several checks. */
  private now({ approval }: Session): number {
    return approval === null ? 0 : this.setting.clock.now();
  }

  private unmatched({ tool }: Proposal): Block | null {
    if (tool.compiled !== null || this.setting.unmatched === "allow") return null;
    return block("unmatched_tool", null, "a tool with a contract", `\`${tool.name}\``);
  }

  private refusals(session: Session, proposal: Proposal): readonly Block[] {
    const unmatched = this.unmatched(proposal);
    const refusals = explainAll(this.program, session, proposal, this.now(session));
    return unmatched === null ? refusals : [unmatched, ...refusals];
  }

  private decide(session: Session, proposal: Proposal, now: number): Decision {
    const unmatched = this.unmatched(proposal);
    return unmatched === null ? decide(this.program, session, proposal, now) : (admit(session, now) ?? unmatched);
  }

  /** Shadow and log-only modes let every call of a living session pass; shadow says what enforcing would have done. */
  private observe(session: Session, proposal: Proposal, decision: Decision): Decided {
    if (session.killed !== null)
      return this.refuse(session, block("session_killed", null, "a session that lives", session.killed));
    const reserved = this.reserve(session, proposal);
    if (this.setting.mode === "log-only" || decision.kind === "allow" || reserved.result.kind !== "allow")
      return reserved;
    const would = this.wouldBe(session, proposal, decision);
    return { ...reserved, result: { ...reserved.result, would } };
  }

  private wouldBe(
    session: Session,
    proposal: Proposal,
    decision: Block | NeedsApproval,
  ): BlockVerdict | ApprovalVerdict {
    if (decision.kind === "block") return this.verdictOf(session, decision);
    const { checkpoints } = decision;
    if (this.setting.approver === undefined) return this.verdictOf(session, noApprover(checkpoints));
    return this.approvalVerdict(proposal, checkpoints, this.requestFor(session, proposal, checkpoints));
  }

  private reserve(session: Session, { tool, args }: Proposal, approved?: PendingApproval): Decided {
    const callId = approved?.callId ?? callIdOf(session.issued + 1);
    const isApproved = approved !== undefined;
    return {
      events: [{ kind: "reserved", callId, tool: tool.name, args, isApproved }],
      result: { kind: "allow", callId },
    };
  }

  private refuse(session: Session, refusal: Block, before: readonly SessionEvent[] = []): Decided {
    const counts = this.setting.mode === "enforce" && refusal.reason !== "session_paused" && session.killed === null;
    const events: readonly SessionEvent[] = counts ? [...before, { kind: "blocked" }] : before;
    return { events, result: this.verdictOf(session, refusal) };
  }

  private stepRefusal(session: Session): Block | null {
    if (session.killed !== null) return block("session_killed", null, "a session that lives", session.killed);
    const limit = this.program.pack.unmatched_checks.find(({ kind }) => kind === "max_steps");
    if (limit?.kind !== "max_steps" || this.setting.mode !== "enforce") return null;
    const steps = session.openSteps + session.ownSteps;
    return steps < limit.max
      ? null
      : block("session_limit_exceeded", limit.at, `at most ${limit.max} steps`, `${steps} so far`);
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
      rules: checkpoints.map(({ at }) => at),
      deadline: request.deadline,
      context: fields.map(({ label, path }) => ({ label, value: readAll(path, args)[0] ?? null })),
    };
  }

  private request(session: Session, proposal: Proposal, checkpoints: Checkpoints): Decided {
    if (this.setting.approver === undefined) return this.refuse(session, noApprover(checkpoints));
    const request = this.requestFor(session, proposal, checkpoints);
    return {
      events: [{ kind: "approval_requested", request }],
      result: this.approvalVerdict(proposal, checkpoints, request),
    };
  }

  private tooLate(session: Session, approvalId: string): Decided {
    const end = session.answered.get(approvalId)?.end;
    const reason: Reason =
      end === undefined
        ? "approval_mismatch"
        : end === "approved" || end === "denied"
          ? "approval_used"
          : "approval_expired";
    return {
      events: [],
      result: this.verdictOf(session, block(reason, null, "a pending approval", end ?? "an unknown one")),
    };
  }

  /** Judges a call against the state of this moment, once a person or the clock has let it pass its checkpoints. */
  private judgeAnew(session: Session, request: PendingApproval, ended: SessionEvent): Decided {
    if (request.artifactHash !== this.program.artifact.hash) {
      const refusal = block("approval_mismatch", null, "an approval under these contracts", "one under others");
      return { events: [ended], result: this.verdictOf(session, refusal) };
    }
    const proposal = this.proposal(request.tool, request.args);
    if (proposal.kind === "block") return this.refuse(session, proposal, [ended]);
    const refused = admit(session, this.now(session), request.id) ?? judge(this.program, session, proposal);
    if (refused !== null) return this.refuse(session, refused, [ended]);
    const { events, result } = this.reserve(session, proposal, request);
    return { events: [ended, ...events], result };
  }

  private ended(session: Session, reason: Reason, found: string, rule?: Place): Decided {
    return { events: [], result: this.verdictOf(session, block(reason, rule ?? null, "a pending approval", found)) };
  }

  private resumeUnanswered(session: Session, request: PendingApproval, isRecorded: boolean): Decided {
    if (session.killed !== null) return this.ended(session, "session_killed", session.killed);
    if (this.setting.clock.now() < request.deadline) {
      const proposal = this.proposal(request.tool, request.args);
      if (proposal.kind === "block") return this.refuse(session, proposal);
      const asked = proposal.tool.checkpoints.filter((check) => isTriggered(check, proposal, this.program.env));
      return { events: [], result: this.approvalVerdict(proposal, asked, request) };
    }
    const ended: SessionEvent = { kind: "approval_ended", approvalId: request.id, end: "expired" };
    if (request.onTimeout === "allow") return this.judgeAnew(session, request, { ...ended, end: "resumed" });
    const { result } = this.ended(session, "approval_expired", "a deadline that passed", request.rule);
    return { events: isRecorded ? [ended] : [], result };
  }
}

function noApprover(checkpoints: Checkpoints): Block {
  return block("approval_denied", checkpoints[0]?.at ?? null, "an approval", "no approver is configured");
}
