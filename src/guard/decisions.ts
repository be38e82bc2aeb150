import type { Place } from "../artifact/compiled-value.js";
import { REASONS, type Reason } from "../artifact/reasons.js";
import { isJsonObject } from "../base/json.js";
import { digestOf } from "./call-keys.js";
import { isTriggered } from "./checks/checkpoint.js";
import { admit, decide, explainAll, judge } from "./decide.js";
import type { SessionEvent } from "./event.js";
import { hintFor } from "./hint.js";
import type { Step } from "./ledger.js";
import { type PlainJson, plainJson } from "./plain-json.js";
import type { Program } from "./program.js";
import type { Answer, ApprovalVerdict, BlockVerdict, Checkpoints, Verdict, VisibleTools } from "./public.js";
import { readAll } from "./read-path.js";
import {
  type ApprovalEnd,
  callIdOf,
  type PendingApproval,
  type Proposal,
  proposalOf,
  type Session,
  unsettledCall,
  waitingCall,
} from "./session.js";
import type { Setting } from "./setting.js";
import { type Block, block, type Decision, type NeedsApproval } from "./verdict.js";
import { visibleTools } from "./visible-tools.js";

type Decided = Step<Verdict>;

/** What a proposal is judged with beside itself. */
interface Circumstances {
  readonly now: number;
  readonly key: string | undefined;
}

/** Arguments that are no JSON object: perhaps other JSON, perhaps nothing that could be copied. */
interface Unjudgeable extends Block {
  readonly isCopied: boolean;
}

/** Why an answer to an approval that has ended changes nothing. */
const TOO_LATE: Readonly<Record<ApprovalEnd, Reason>> = {
  approved: "approval_used",
  denied: "approval_used",
  expired: "approval_expired",
  resumed: "approval_expired",
  withdrawn: "approval_withdrawn",
};

/** Turns what callers and approvers say into verdicts and the events that make them true. Changes nothing itself. */
export class Decisions {
  constructor(
    private readonly program: Program,
    private readonly setting: Setting,
  ) {}

  /** A call ready to be judged, or why it cannot be. */
  proposal(toolName: string, args: unknown): Proposal | Unjudgeable {
    return this.proposalOf(toolName, plainJson(args));
  }

  /** The same, where the arguments were copied before. */
  proposalOf(toolName: string, plain: PlainJson): Proposal | Unjudgeable {
    if (!plain.ok || !isJsonObject(plain.value)) {
      const found = plain.ok ? "another JSON value" : plain.what;
      const refusal = block("arguments_not_json", null, "arguments that are a JSON object", found);
      return { ...refusal, isCopied: plain.ok };
    }
    const tool = this.program.tools.get(toolName) ?? this.program.unmatched(toolName);
    return proposalOf(tool, plain.value);
  }

  /** Judges a proposed call and reserves it where nothing stands in the way; under a key that is known, it does so once. */
  propose(session: Session, toolName: string, proposal: Proposal | Unjudgeable, key?: string): Decided {
    const now = this.now(session);
    const decided =
      proposal.kind === "block"
        ? this.proposeUnjudgeable(session, toolName, proposal)
        : ((key === undefined ? null : this.repeat(session, proposal, key)) ??
          this.proposeCall(session, proposal, { now, key }));
    const { approval } = session;
    if (approval === null || now < approval.deadline) return decided;
    // The deadline passed unnoticed; what follows is told after it.
    return {
      ...decided,
      events: [{ kind: "approval_ended", approvalId: approval.id, end: "expired" }, ...decided.events],
    };
  }

  /** The refusal of a call whose tool has no name; before everything else, and nothing counts it. */
  unnamed(session: Session): BlockVerdict {
    return this.verdictOf(
      session,
      block("unmatched_tool", null, "a tool name that is a text", "another kind of value"),
    );
  }

  /** Every check that would refuse a call now. */
  explain(session: Session, toolName: unknown, args: unknown): readonly BlockVerdict[] {
    if (typeof toolName !== "string") return [this.unnamed(session)];
    const proposal = this.proposal(toolName, args);
    const refusals = proposal.kind === "block" ? [proposal] : this.refusals(session, proposal);
    return refusals.map((refusal) => this.verdictOf(session, refusal));
  }

  /** What the model should be offered now. Outside enforce mode nothing is refused but by a kill, so nothing is hidden. */
  visibleTools(session: Session): VisibleTools {
    const names = [...this.program.tools.keys()];
    if (this.setting.mode !== "enforce" && !session.isKilled) return { visible: names, hidden: [] };
    return visibleTools(this.program, session, this.surelyNow(session));
  }

  /** Hides all tools, each for this reason. */
  nothingVisible(reason: Reason): VisibleTools {
    return { visible: [], hidden: Array.from(this.program.tools.keys(), (tool) => ({ tool, reason })) };
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
      // What an approver says is recorded only where it can be read again.
      ...(typeof by === "string" ? { by } : {}),
      ...(typeof note === "string" ? { note } : {}),
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
    const pending = session.approval?.id === approvalId ? session.approval : null;
    const answered = session.answered.get(approvalId);
    const callId = pending?.callId ?? answered?.callId;
    if (callId === undefined) return this.tooLate(session, approvalId);
    // The verdict is told again only while its call is still running.
    if (unsettledCall(session, callId)?.status === "running") {
      return { events: [], result: { kind: "allow", callId } };
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
        return this.resumeLapsed(session, session.lapsed.get(approvalId));
      case undefined:
        return pending === null ? this.tooLate(session, approvalId) : this.resumePending(session, pending);
    }
  }

  /** A refusal as callers see it. */
  verdictOf(session: Session, refusal: Block): BlockVerdict {
    const { reason, at, required, found } = refusal;
    const hint = hintFor(this.program, session, refusal, this.surelyNow(session));
    return {
      kind: "block",
      reason,
      message: REASONS[reason],
      // A copy: what a caller does to it is not the rule.
      ...(at === null ? {} : { rule: { file: at.file, line: at.line } }),
      required,
      found,
      hint,
    };
  }

  /**
   * Outside enforce mode even a call that cannot be judged passes; nothing is known of its arguments. Only what was
   * not copied is refused in every mode: there is nothing that could be sent.
   */
  private proposeUnjudgeable(session: Session, toolName: string, refusal: Unjudgeable): Decided {
    const empty = this.proposal(toolName, {});
    const isRefused = this.setting.mode === "enforce" || !refusal.isCopied;
    if (isRefused || empty.kind === "block") return this.refuse(session, refusal);
    return this.observe(session, empty, refusal);
  }

  private proposeCall(session: Session, proposal: Proposal, { now, key }: Circumstances): Decided {
    const decision = this.decide(session, proposal, now);
    if (this.setting.mode !== "enforce") return this.observe(session, proposal, decision, key);
    if (decision.kind === "block") return this.refuse(session, decision);
    return decision.kind === "allow"
      ? this.reserve(session, proposal, key)
      : this.request(session, proposal, decision.checkpoints, key);
  }

  /** The answer to a call that was proposed under its key before; null where the key is free. */
  private repeat(session: Session, proposal: Proposal, key: string): Decided | null {
    const held = session.keys?.find(session, key);
    if (held === undefined) return null;
    const now = this.now(session);
    const waiting = waitingCall(session, held.callId);
    // Nobody answered in time, and silence refuses: the key is free.
    if (waiting !== null && now >= waiting.deadline && waiting.onTimeout === "deny") return null;
    const wrong = this.keyRefusal(session, proposal, held);
    // What waits is not kept waiting by itself; but another call under its key is.
    const own = wrong === null ? waiting?.id : undefined;
    const refused = admit(session, now, own) ?? wrong;
    if (refused !== null) {
      return this.setting.mode === "enforce"
        ? this.refuse(session, refused)
        : this.observe(session, proposal, refused, key);
    }
    if (waiting === null) return { events: [], result: { kind: "allow", callId: held.callId, repeated: true } };
    return { events: [], result: { ...this.waitingVerdict(proposal, waiting), repeated: true } };
  }

  private keyRefusal(
    session: Session,
    { tool, args }: Proposal,
    { callId, digest }: { readonly callId: string; readonly digest: string },
  ): Block | null {
    if (digest !== digestOf({ tool: tool.name, args })) {
      return block("call_key_mismatch", null, "the tool and the arguments that came with the key first", "others");
    }
    if (waitingCall(session, callId) !== null || unsettledCall(session, callId) !== undefined) return null;
    return block("call_key_used", null, "a key that no settled call has", `the key of ${callId}`);
  }

  /** The time, read only where it matters: a clock costs as much as several checks. */
  private now({ approval }: Session): number {
    return approval === null ? 0 : this.setting.clock.now();
  }

  /** The time for hints and lists; where the clock fails, what waits for an approval still waits. */
  private surelyNow(session: Session): number {
    try {
      return this.now(session);
    } catch {
      return 0;
    }
  }

  private unmatched({ tool }: Proposal): Block | null {
    if (tool.compiled !== null || this.setting.unmatched === "allow") return null;
    return block("unmatched_tool", null, "a tool with a contract", `\`${tool.name}\``);
  }

  private refusals(session: Session, proposal: Proposal): readonly Block[] {
    const unmatched = this.unmatched(proposal);
    const refusals = explainAll(this.program, session, proposal, this.surelyNow(session));
    return unmatched === null ? refusals : [unmatched, ...refusals];
  }

  private decide(session: Session, proposal: Proposal, now: number): Decision {
    const unmatched = this.unmatched(proposal);
    return unmatched === null ? decide(this.program, session, proposal, now) : (admit(session, now) ?? unmatched);
  }

  /** Shadow and log-only modes let every call of a living session pass; shadow says what enforcing would have done. */
  private observe(session: Session, proposal: Proposal, decision: Decision, key?: string): Decided {
    if (session.isKilled)
      return this.refuse(session, block("session_killed", null, "a session that lives", session.killedWhy));
    const reserved = this.reserve(session, proposal, key);
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

  private reserve(session: Session, proposal: Proposal, key: string | undefined, approved?: PendingApproval): Decided {
    const callId = approved?.callId ?? callIdOf(session.issued + 1);
    const isApproved = approved !== undefined;
    const reserved = { kind: "reserved", callId, tool: proposal.tool.name, args: proposal.args, isApproved } as const;
    return { events: [key === undefined ? reserved : { ...reserved, key }], result: { kind: "allow", callId } };
  }

  private refuse(session: Session, refusal: Block, before: readonly SessionEvent[] = []): Decided {
    const counts = this.setting.mode === "enforce" && refusal.reason !== "session_paused" && !session.isKilled;
    const events: readonly SessionEvent[] = counts ? [...before, { kind: "blocked" }] : before;
    return { events, result: this.verdictOf(session, refusal) };
  }

  private stepRefusal(session: Session): Block | null {
    if (session.isKilled) return block("session_killed", null, "a session that lives", session.killedWhy);
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
      rules: checkpoints.map(({ at }) => ({ ...at })),
      deadline: request.deadline,
      // Copies: what an approver does to them is not what is judged and counted.
      context: fields.map(({ label, path }) => ({ label, value: structuredClone(readAll(path, args)[0] ?? null) })),
    };
  }

  /** What is told of a call that still waits. */
  private waitingVerdict(proposal: Proposal, request: PendingApproval): ApprovalVerdict {
    const asked = proposal.tool.checkpoints.filter((check) => isTriggered(check, proposal, this.program.env));
    return this.approvalVerdict(proposal, asked, request);
  }

  private request(session: Session, proposal: Proposal, checkpoints: Checkpoints, key: string | undefined): Decided {
    if (this.setting.approver === undefined) return this.refuse(session, noApprover(checkpoints));
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
    const { events, result } = this.reserve(session, proposal, request.key, request);
    return { events: [ended, ...events], result };
  }

  private ended(session: Session, reason: Reason, found: string, rule?: Place): Decided {
    return { events: [], result: this.verdictOf(session, block(reason, rule ?? null, "a pending approval", found)) };
  }

  private resumePending(session: Session, request: PendingApproval): Decided {
    if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
    if (this.setting.clock.now() < request.deadline) {
      const proposal = this.proposal(request.tool, request.args);
      if (proposal.kind === "block") return this.refuse(session, proposal);
      return { events: [], result: this.waitingVerdict(proposal, request) };
    }
    if (request.onTimeout === "allow") return this.resumeLapsed(session, request);
    const { result } = this.ended(session, "approval_expired", "a deadline that passed", request.rule);
    return { events: [{ kind: "approval_ended", approvalId: request.id, end: "expired" }], result };
  }

  /** Judges a call anew that nobody answered in time and that silence lets through; undefined where it does not. */
  private resumeLapsed(session: Session, request: PendingApproval | undefined): Decided {
    if (session.isKilled) return this.ended(session, "session_killed", session.killedWhy);
    if (request === undefined) return this.ended(session, "approval_expired", "a deadline that passed");
    return this.judgeAnew(session, request, { kind: "approval_ended", approvalId: request.id, end: "resumed" });
  }
}

function noApprover(checkpoints: Checkpoints): Block {
  return block("approval_denied", checkpoints[0]?.at ?? null, "an approval", "no approver is configured");
}
