import type { Reason } from "../../artifact/reasons.js";
import { ApprovalDecisions } from "../approvals/approval-decisions.js";
import type { Program, Proposal } from "../program/program.js";
import { timed } from "../program/proposal.js";
import type { ApprovalVerdict, BlockVerdict, StepVerdict, VisibleTools } from "../public.js";
import type { ResolvedOptions } from "../resolved-options.js";
import type { Step } from "../session/ledger.js";
import type { Session } from "../session/session.js";
import { type KeyStanding, standingOf } from "./call-key.js";
import { admit, atCheckpoints, decide, ended, explainAll, lateResult } from "./decide.js";
import { type Decided, Proposals, type Unjudgeable } from "./proposals.js";
import { type Block, block, type Decision, type NeedsApproval } from "./verdict.js";
import { visibleTools } from "./visible-tools.js";

/** Turns proposals and answers into verdicts and the events that record them. Changes nothing itself. */
export class Decisions {
  readonly proposals: Proposals;
  readonly approvals: ApprovalDecisions;

  constructor(
    private readonly program: Program,
    private readonly options: ResolvedOptions,
  ) {
    this.proposals = new Proposals(program, options);
    this.approvals = new ApprovalDecisions(program, options, this.proposals);
  }

  /** Judges a proposed call and reserves it if nothing refuses it; under a known key it is reserved only once. */
  propose(session: Session, toolName: string, proposal: Proposal | Unjudgeable, key?: string): Decided {
    const now = this.proposals.now(session);
    const decided =
      proposal.kind === "block"
        ? this.proposeUnjudgeable(session, toolName, proposal, key)
        : ((key === undefined ? null : this.repeat(session, proposal, key)) ??
          this.proposeCall(session, proposal, key));
    const { approval } = session;
    if (approval === null || now < approval.deadline) return decided;
    // The pending approval has expired; its end is recorded first.
    return {
      ...decided,
      events: [{ kind: "approval_ended", approvalId: approval.id, end: "expired" }, ...decided.events],
    };
  }

  /** The refusal of a call whose tool has no name; it comes before everything else and is not counted. */
  unnamed(session: Session): BlockVerdict {
    return this.proposals.verdictOf(
      session,
      block("unmatched_tool", null, "a tool name that is a string", "another kind of value"),
    );
  }

  /** Every check that would refuse a call now. */
  explain(session: Session, toolName: unknown, args: unknown, key?: string): readonly BlockVerdict[] {
    if (typeof toolName !== "string") return [this.unnamed(session)];
    const proposal = this.proposals.of(toolName, args);
    const refusals =
      proposal.kind === "block" ? [proposal] : this.refusals(session, timed(proposal, this.options.clock), key);
    return refusals.map((refusal) => this.proposals.verdictOf(session, refusal));
  }

  /** The tools to offer the model now. Outside enforce mode only a kill refuses calls, so nothing else hides tools. */
  visibleTools(session: Session): VisibleTools {
    const names = [...this.program.tools.keys()];
    const { seat } = this.options;
    const over = seat === null ? null : seat.admit();
    if (over !== null) return this.nothingVisible(over.reason);
    if (this.options.mode !== "enforce" && !session.isKilled) return { visible: names, hidden: [] };
    const { visible, hidden } = visibleTools(this.program, session, this.proposals.surelyNow(session));
    const limit = seat === null ? null : seat.refuseAll(session);
    if (limit === null) return { visible, hidden };
    return { visible: [], hidden: [...hidden, ...visible.map((tool) => ({ tool, reason: limit.reason }))] };
  }

  /** Hides all tools, each for this reason. */
  nothingVisible(reason: Reason): VisibleTools {
    return { visible: [], hidden: Array.from(this.program.tools.keys(), (tool) => ({ tool, reason })) };
  }

  /** Begins a step, unless the limit of steps is reached. */
  beginStep(session: Session): Step<StepVerdict> {
    const over = this.endBeforeStep(session);
    if (over !== null) return { events: [], result: this.proposals.verdictOf(session, over) };
    const { mode } = this.options;
    const refused = mode === "log-only" ? null : this.stepRefusal(session);
    if (refused === null) return { events: [{ kind: "step_begun" }], result: { kind: "allow" } };
    const verdict = this.proposals.verdictOf(session, refused);
    return mode === "enforce"
      ? { events: [], result: verdict }
      : { events: [{ kind: "step_begun" }], result: { kind: "allow", would: verdict } };
  }

  /**
   * Outside enforce mode even a call that cannot be judged is allowed, with unknown arguments. Only arguments that could not be
   * copied are refused in every mode: there is nothing to send.
   */
  private proposeUnjudgeable(session: Session, toolName: string, refusal: Unjudgeable, key?: string): Decided {
    const empty = this.proposals.of(toolName, {});
    const isRefused = this.options.mode === "enforce" || !refusal.isCopied;
    if (isRefused || empty.kind === "block") return this.proposals.refuse(session, refusal);
    // Without a digest nobody can tell whether it is the same call as before.
    if (key === undefined || refusal.digest === null) return this.observe(session, empty, refusal);
    const keyed = { ...empty, digest: refusal.digest };
    const before = this.repeat(session, keyed, key);
    const isRepeated = before?.result.kind === "allow" && before.result.repeated === true;
    // Enforce mode refuses such arguments whatever their key is.
    return isRepeated ? before : this.observe(session, keyed, refusal, key);
  }

  private proposeCall(session: Session, proposed: Proposal, key: string | undefined): Decided {
    const proposal = timed(proposed, this.options.clock);
    const decision = this.decide(session, proposal, this.proposals.now(session));
    if (this.options.mode !== "enforce") return this.observe(session, proposal, decision, key);
    if (decision.kind === "block") return this.proposals.refuse(session, decision);
    return decision.kind === "allow"
      ? this.proposals.reserve(session, proposal, key)
      : this.approvals.request(session, proposal, decision.checkpoints, key);
  }

  /** The verdict on a call that was proposed under its key before; null if the key is free. */
  private repeat(session: Session, proposal: Proposal, key: string): Decided | null {
    const now = this.proposals.now(session);
    const standing = standingOf(session, proposal, key, now);
    if (standing.kind === "free") return null;
    const refused = this.admit(session, now, ownApproval(standing)) ?? keyRefusal(standing);
    if (refused !== null) {
      if (this.options.mode === "enforce") return this.proposals.refuse(session, refused);
      return this.observe(session, proposal, refused, standing.kind === "unjudgeable" ? undefined : key);
    }
    if (standing.kind !== "repeated") return null;
    const { callId, waiting } = standing;
    if (waiting === null) return { events: [], result: { kind: "allow", callId, repeated: true } };
    return { events: [], result: { ...this.approvals.waitingVerdict(waiting), repeated: true } };
  }

  /** In the order of a decision, so that the first one is the refusal of a proposal. */
  private refusals(session: Session, proposal: Proposal, key: string | undefined): readonly Block[] {
    const { seat } = this.options;
    const now = this.proposals.surelyNow(session);
    const standing: KeyStanding = key === undefined ? { kind: "free" } : standingOf(session, proposal, key, now);
    const all = [
      seat === null ? null : seat.admit(),
      admit(session, now, ownApproval(standing)),
      keyRefusal(standing),
      // A call that was proposed before is not judged again.
      ...(standing.kind === "repeated" ? [] : this.ownRefusals(session, proposal)),
    ];
    return all.filter((refusal): refusal is Block => refusal !== null);
  }

  /** Of everything that is judged of the call itself. */
  private ownRefusals(session: Session, proposal: Proposal): readonly (Block | null)[] {
    const { seat } = this.options;
    return [
      this.proposals.unmatched(proposal),
      ...explainAll(this.program, session, proposal),
      ...(seat === null ? [] : seat.refusals(session, proposal)),
      this.approvals.refusedAt(atCheckpoints(this.program, session, proposal)),
    ];
  }

  /** The decision on a call: what `propose` goes by. */
  decide(session: Session, proposal: Proposal, now: number): Decision {
    const { seat } = this.options;
    const over = seat === null ? null : seat.admit();
    if (over !== null) return over;
    const unmatched = this.proposals.unmatched(proposal);
    if (unmatched !== null) return admit(session, now) ?? unmatched;
    const decision = decide(this.program, session, proposal, now);
    // Whether an approval is needed matters only if nothing else refuses the call.
    if (seat === null || decision.kind === "block") return decision;
    return seat.refuse(session, proposal) ?? decision;
  }

  /** The state of the workflow comes before that of the session. */
  private admit(session: Session, now: number, ownApproval?: string): Block | null {
    const { seat } = this.options;
    return (seat === null ? null : seat.admit()) ?? admit(session, now, ownApproval);
  }

  /** Shadow and log-only modes allow every call unless the session has ended; shadow adds the verdict of enforce mode. */
  private observe(session: Session, proposal: Proposal, decision: Decision, key?: string): Decided {
    const { seat } = this.options;
    const over = (seat === null ? null : seat.admit()) ?? ended(session);
    if (over !== null) return this.proposals.refuse(session, over);
    const reserved = this.proposals.reserve(session, proposal, key);
    if (this.options.mode === "log-only" || decision.kind === "allow" || reserved.result.kind !== "allow")
      return reserved;
    const would = this.wouldBe(session, proposal, decision);
    return { ...reserved, result: { ...reserved.result, would } };
  }

  private wouldBe(
    session: Session,
    proposal: Proposal,
    decision: Block | NeedsApproval,
  ): BlockVerdict | ApprovalVerdict {
    if (decision.kind === "block") return this.proposals.verdictOf(session, decision);
    return this.approvals.would(session, proposal, decision.checkpoints);
  }

  private endBeforeStep(session: Session): Block | null {
    const { seat } = this.options;
    return (seat === null ? null : seat.admit()) ?? ended(session);
  }

  private stepRefusal(session: Session): Block | null {
    const { seat } = this.options;
    if (session.late.size > 0) return lateResult(session.late);
    return this.ownStepLimit(session) ?? (seat === null ? null : seat.refuseStep());
  }

  private ownStepLimit(session: Session): Block | null {
    const limit = this.program.pack.unmatched_checks.find(({ kind }) => kind === "max_steps");
    if (limit?.kind !== "max_steps") return null;
    const steps = session.openSteps + session.ownSteps;
    return steps < limit.max
      ? null
      : block("session_limit_exceeded", limit.at, `at most ${limit.max} steps`, `${steps} so far`);
  }
}

/** A pending call does not wait for itself; another call under its key does. */
function ownApproval(standing: KeyStanding): string | undefined {
  return standing.kind === "repeated" ? standing.waiting?.id : undefined;
}

function keyRefusal(standing: KeyStanding): Block | null {
  return standing.kind === "refused" || standing.kind === "unjudgeable" ? standing.refusal : null;
}
