import { foreignErrorName } from "../../base/foreign-value.js";
import type { Json } from "../../base/json.js";
import type { Approvals } from "../approvals/approvals.js";
import { admit, ended } from "../decide/decide.js";
import type { Decisions } from "../decide/decisions.js";
import { judgeOutput, keptReferences, presentReferences } from "../decide/judge-output.js";
import { type Block, block } from "../decide/verdict.js";
import type { Listeners } from "../listeners.js";
import type { Program, Tool } from "../program/program.js";
import { proposalOf } from "../program/proposal.js";
import type {
  AllowVerdict,
  ApprovalVerdict,
  BlockVerdict,
  Clock,
  SettleResult,
  Verdict,
  Violation,
} from "../public.js";
import type { ResolvedOptions } from "../resolved-options.js";
import type { Ledger } from "../session/ledger.js";
import { NOT_SENT, type Outcome } from "../session/outcome.js";
import { type Session, unsettledCall } from "../session/session.js";
import { BrokenSession } from "../session/store-errors.js";
import type { PlainJson } from "../values/plain-json.js";
import type { CallHost, Permitted, Proposed, ReservedCall, SendCheck } from "./call-host.js";
import type { CallsToSend } from "./calls-to-send.js";

/** What a guard gives to its wrapped calls. */
interface Parts {
  readonly program: Program;
  readonly ledger: Ledger;
  readonly decisions: Decisions;
  readonly listeners: Listeners;
  readonly approvals: Approvals;
  readonly options: ResolvedOptions;
  readonly toSend: CallsToSend;
  propose(tool: unknown, plain: PlainJson, callKey: string | undefined): Promise<Proposed>;
  settle(callId: string, outcome: Outcome, copied?: PlainJson): Promise<SettleResult>;
  /** The refusal of a call after a fault of the store or of the guard. */
  fault(cause: unknown): BlockVerdict;
}

/** The side of a guard that wrapped calls use. */
export class GuardCallHost implements CallHost {
  readonly clock: Clock;
  readonly listeners: Listeners;
  readonly isWithholding: boolean;

  constructor(private readonly parts: Parts) {
    this.clock = parts.options.clock;
    this.listeners = parts.listeners;
    this.isWithholding = parts.options.mode === "enforce";
  }

  propose(tool: unknown, plain: PlainJson, callKey: string | undefined): Promise<Proposed> {
    return this.parts.propose(tool, plain, callKey);
  }

  claim(approvalId: string): Promise<Verdict> {
    return this.parts.approvals.claim(approvalId);
  }

  async used(callId: string): Promise<BlockVerdict> {
    const { decisions, ledger } = this.parts;
    const isUnanswered = unsettledCall(ledger.session, callId)?.origin === "unanswered";
    if (isUnanswered) await this.release(callId);
    const found = isUnanswered ? "the store did not answer: the call is not sent" : "another caller sends the call";
    const used = block("approval_used", null, "an approval that was not used", found);
    return decisions.proposals.verdictOf(ledger.session, used);
  }

  keyHeld(by: AllowVerdict | ApprovalVerdict): BlockVerdict {
    const { decisions, ledger } = this.parts;
    const found = by.kind === "allow" ? `the key of ${by.callId}, which is unsettled` : `the key of ${by.approvalId}`;
    return decisions.proposals.verdictOf(ledger.session, block("call_key_used", null, "a key that no call has", found));
  }

  watch(listener: () => void): () => void {
    return this.parts.ledger.watch(listener);
  }

  isStoreClosed(): boolean {
    return this.parts.ledger.isStoreClosed;
  }

  leave(approvalId: string): void {
    this.parts.approvals.leave(approvalId);
  }

  settle(callId: string, outcome: Outcome, copied?: PlainJson): Promise<SettleResult> {
    return this.parts.settle(callId, outcome, copied);
  }

  take(reserved: string, tool: unknown, plain: PlainJson, key: string): AllowVerdict | ApprovalVerdict | null {
    const { ledger, toSend } = this.parts;
    const { session } = ledger;
    const verdict = toSend.take(reserved, { key, held: session.keys?.find(session, key) }, tool, plain);
    if (verdict?.kind !== "allow") return verdict;
    // Another process may have settled it.
    return unsettledCall(session, verdict.callId)?.status === "running" ? verdict : null;
  }

  reserved({ callId, hasWaited }: Permitted, name: string, args: Json): ReservedCall {
    const { program, ledger } = this.parts;
    const tool = program.tools.get(name) ?? program.unmatched(name);
    const { session } = ledger;
    const since = unsettledCall(session, callId)?.since ?? null;
    return { callId, tool, args, hasWaited, since, references: keptReferences(session, tool, callId) };
  }

  withdraw(request: ApprovalVerdict): Promise<void> {
    return this.parts.approvals.withdraw(request);
  }

  async catchUp(): Promise<BlockVerdict | null> {
    const { ledger, fault } = this.parts;
    try {
      // With nothing to record, the ledger still reads what other processes did meanwhile.
      return await ledger.transact(() => ({ events: [], result: null }));
    } catch (cause) {
      return fault(cause);
    }
  }

  /** A kill ends the attempts of a call in every mode; in enforce mode so do a late result and a label that gates its tool. */
  checkBeforeSending({ callId, tool }: ReservedCall): SendCheck {
    const { decisions, ledger, fault, options } = this.parts;
    if (!ledger.isSound) return fault(new BrokenSession());
    const { session } = ledger;
    const { seat } = options;
    const refused =
      (seat === null ? null : seat.killed()) ??
      (this.isWithholding ? this.refusedSince(session, tool) : ended(session));
    if (refused !== null) return decisions.proposals.verdictOf(session, refused);
    // Sent after somebody said that its outcome is unknown, it would have a result that nobody records.
    if (unsettledCall(session, callId)?.status === "running") return { kind: "go" };
    const gone = block("guard_fault", null, "an unsettled reservation", "one that another process settled");
    return { kind: "gone", verdict: decisions.proposals.verdictOf(session, gone) };
  }

  judgeOutput({ callId, tool, args, references }: ReservedCall, output: Json): Violation | null {
    const { program, ledger, options } = this.parts;
    const { session } = ledger;
    const call = { args, labels: session.labels, now: () => options.clock.now() };
    const now = judgeOutput({ program, tool, references: presentReferences(session, callId), call }, output);
    if (now !== null || unsettledCall(session, callId) !== undefined) return now;
    // A call that another process settled may have become a reference itself, so the references before it count too.
    return judgeOutput({ program, tool, references, call }, output);
  }

  private async release(callId: string): Promise<void> {
    try {
      await this.parts.settle(callId, NOT_SENT);
    } catch (cause) {
      process.emitWarning(`${callId}, which was not sent, could not be released: ${foreignErrorName(cause)}`);
    }
  }

  /** The pending approval of another call does not matter, nor does a request to end: this call is reserved. */
  private refusedSince(session: Session, tool: Tool): Block | null {
    return admit(session, 0, session.approval?.id) ?? this.gatedSince(session, tool);
  }

  private gatedSince(session: Session, tool: Tool): Block | null {
    const { program } = this.parts;
    if (session.labels.size === 0) return null;
    for (const { kind, run } of tool.checks) {
      const refused = kind === "label_gate" ? run(proposalOf(tool, {}), session, program) : null;
      if (refused !== null) return refused;
    }
    return null;
  }
}
