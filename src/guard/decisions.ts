import { REASONS, type Reason } from "../artifact/reasons.js";
import { isJsonObject } from "../base/json.js";
import { admit, decide, explainAll, judge } from "./decide.js";
import type { SessionEvent } from "./event.js";
import { hintFor } from "./hint.js";
import type { Step } from "./ledger.js";
import { plainJson } from "./plain-json.js";
import type { Program } from "./program.js";
import type { ApprovalVerdict, BlockVerdict, Checkpoints, Verdict } from "./public.js";
import { readAll } from "./read-path.js";
import type { PendingApproval, Proposal, Session } from "./session.js";
import type { Setting } from "./setting.js";
import { type Block, block, type Decision } from "./verdict.js";

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
    return { tool, args: plain.value, principal: this.setting.principal, contributions: [] };
  }

  /** Judges a proposed call and reserves it where nothing stands in the way. */
  propose(session: Session, toolName: string, args: unknown): Decided {
    const proposal = this.proposal(toolName, args);
    if ("reason" in proposal) return this.refuse(session, proposal);
    const decision = this.decide(session, proposal);
    if (this.setting.mode !== "enforce") return this.observe(session, proposal, decision);
    if (decision.kind === "block") return this.refuse(session, decision);
    return decision.kind === "allow"
      ? this.reserve(session, proposal)
      : this.request(session, proposal, decision.checkpoints);
  }

  /** Every check that would refuse a call now. */
  explain(session: Session, toolName: string, args: unknown): readonly BlockVerdict[] {
    const proposal = this.proposal(toolName, args);
    const refusals =
      "reason" in proposal ? [proposal] : [...this.unmatched(proposal), ...explainAll(this.program, session, proposal)];
    return refusals.map((refusal) => this.verdictOf(session, refusal));
  }

  /** Opens a step, unless the session has had them all. */
  beginStep(session: Session): Step<{ readonly kind: "allow" } | BlockVerdict> {
    const refused = this.setting.mode === "enforce" ? this.stepRefusal(session) : null;
    if (refused !== null) return { events: [], result: this.verdictOf(session, refused) };
    return { events: [{ kind: "step_begun" }], result: { kind: "allow" } };
  }

  /** Answers a pending approval; an approved call is judged anew. */
  answer(session: Session, approvalId: string, end: "approved" | "denied"): Decided {
    const request = session.approval;
    if (request?.id !== approvalId) return this.tooLate(session, approvalId);
    const ended: SessionEvent = { kind: "approval_ended", approvalId, end };
    if (this.setting.clock.now() >= request.deadline) {
      const late = this.verdictOf(
        session,
        block("approval_expired", null, "an answer before the deadline", "a late one"),
      );
      // With `on_timeout: allow` the call is still to be resumed.
      return { events: request.onTimeout === "deny" ? [{ ...ended, end: "expired" }] : [], result: late };
    }
    if (end === "approved") return this.judgeAnew(session, request, ended);
    return this.refuse(session, block("approval_denied", null, "an approval", "a denial"), [ended]);
  }

  /** The verdict on a call that waited: still waiting, let through by a person or the clock, or refused. */
  resume(session: Session, approvalId: string): Decided {
    const request = session.approval;
    if (request?.id === approvalId) return this.resumePending(session, request);
    const answered = session.answered.get(approvalId);
    if (answered === undefined) return this.tooLate(session, approvalId);
    const { end, callId } = answered;
    if (session.unsettled.has(callId)) return { events: [], result: { kind: "allow", callId } };
    const reasons = { approved: "approval_used", denied: "approval_denied", expired: "approval_expired" } as const;
    return { events: [], result: this.verdictOf(session, block(reasons[end], null, "a pending approval", end)) };
  }

  /** A refusal as callers see it. */
  verdictOf(session: Session, refusal: Block): BlockVerdict {
    const { reason, at, required, found } = refusal;
    const hint = hintFor(this.program, session, refusal, this.setting.principal);
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

  private unmatched({ tool }: Proposal): readonly Block[] {
    if (tool.compiled !== null || this.setting.unmatched === "allow") return [];
    return [block("unmatched_tool", null, "a tool with a contract", `\`${tool.name}\``)];
  }

  private decide(session: Session, proposal: Proposal): Decision {
    const [unmatched] = this.unmatched(proposal);
    return unmatched === undefined ? decide(this.program, session, proposal) : (admit(session) ?? unmatched);
  }

  /** Shadow and log-only modes let every call of a living session pass; shadow says what enforcing would have done. */
  private observe(session: Session, proposal: Proposal, decision: Decision): Decided {
    if (session.killed !== null)
      return this.refuse(session, block("session_killed", null, "a session that lives", session.killed));
    const reserved = this.reserve(session, proposal);
    if (this.setting.mode === "log-only" || decision.kind === "allow" || reserved.result.kind !== "allow")
      return reserved;
    const would =
      decision.kind === "block"
        ? this.verdictOf(session, decision)
        : this.approvalVerdict(
            proposal,
            decision.checkpoints,
            this.requestFor(session, proposal, decision.checkpoints),
          );
    return { ...reserved, result: { ...reserved.result, would } };
  }

  private reserve(session: Session, { tool, args }: Proposal, approved?: PendingApproval): Decided {
    const callId = approved?.callId ?? `call_${session.issued + 1}`;
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
    if (limit?.kind !== "max_steps") return null;
    const steps = session.openSteps + session.ownSteps;
    return steps < limit.max
      ? null
      : block("session_limit_exceeded", limit.at, `at most ${limit.max} steps`, `${steps} so far`);
  }

  private requestFor(session: Session, { tool, args }: Proposal, checkpoints: Checkpoints): PendingApproval {
    const seconds = Math.min(...checkpoints.map(({ timeout_seconds: timeout }) => timeout));
    return {
      id: `approval_${session.issued + 1}`,
      callId: `call_${session.issued + 1}`,
      tool: tool.name,
      args,
      deadline: this.setting.clock.now() + seconds * 1000,
      onTimeout: checkpoints.every(({ on_timeout: end }) => end === "allow") ? "allow" : "deny",
      artifactHash: this.program.artifact.hash,
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
    if (this.setting.approver === undefined) {
      const at = checkpoints[0]?.at ?? null;
      return this.refuse(session, block("approval_denied", at, "an approval", "no approver is configured"));
    }
    const request = this.requestFor(session, proposal, checkpoints);
    return {
      events: [{ kind: "approval_requested", request }],
      result: this.approvalVerdict(proposal, checkpoints, request),
    };
  }

  private tooLate(session: Session, approvalId: string): Decided {
    const end = session.answered.get(approvalId)?.end;
    const reason: Reason =
      end === undefined ? "approval_mismatch" : end === "expired" ? "approval_expired" : "approval_used";
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
    if ("reason" in proposal) return this.refuse(session, proposal, [ended]);
    const killed =
      session.killed === null ? null : block("session_killed", null, "a session that lives", session.killed);
    const refused = killed ?? judge(this.program, session, proposal);
    if (refused !== null) return this.refuse(session, refused, [ended]);
    const { events, result } = this.reserve(session, proposal, request);
    return { events: [ended, ...events], result };
  }

  private resumePending(session: Session, request: PendingApproval): Decided {
    if (this.setting.clock.now() >= request.deadline) {
      const expired: SessionEvent = { kind: "approval_ended", approvalId: request.id, end: "expired" };
      if (request.onTimeout === "allow") return this.judgeAnew(session, request, expired);
      const refusal = block("approval_expired", null, "an answer before the deadline", "none");
      return { events: [expired], result: this.verdictOf(session, refusal) };
    }
    const proposal = this.proposal(request.tool, request.args);
    if ("reason" in proposal) return this.refuse(session, proposal);
    return { events: [], result: this.approvalVerdict(proposal, proposal.tool.checkpoints, request) };
  }
}
