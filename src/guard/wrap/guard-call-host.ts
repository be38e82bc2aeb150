import type { Json } from "../../base/json.js";
import type { Approvals } from "../approvals/approvals.js";
import { admit } from "../decide/decide.js";
import type { Decisions } from "../decide/decisions.js";
import { judgeOutput, keptReferences, presentReferences } from "../decide/judge-output.js";
import { type Block, block } from "../decide/verdict.js";
import type { Listeners } from "../listeners.js";
import type { Program, Tool } from "../program/program.js";
import { proposalOf } from "../program/proposal.js";
import type { ApprovalVerdict, BlockVerdict, Clock, SettleResult, Verdict, Violation } from "../public.js";
import type { Setting } from "../resolved-options.js";
import type { Ledger } from "../session/ledger.js";
import type { Outcome } from "../session/outcome.js";
import { type Session, unsettledCall } from "../session/session.js";
import { BrokenSession } from "../session/store-errors.js";
import type { PlainJson } from "../values/plain-json.js";
import type { CallHost, Look, Permitted, Proposed, ReservedCall } from "./call-host.js";

/** What a guard gives to the calls it carries. */
interface Parts {
  readonly program: Program;
  readonly ledger: Ledger;
  readonly decisions: Decisions;
  readonly listeners: Listeners;
  readonly approvals: Approvals;
  readonly setting: Setting;
  propose(tool: unknown, plain: PlainJson): Promise<Proposed>;
  settle(callId: string, outcome: Outcome): Promise<SettleResult>;
  /** What a fault of the store, or of ours, means for a call. */
  fault(cause: unknown): BlockVerdict;
}

/** The side of a guard that wrapped calls deal with. */
export class GuardCallHost implements CallHost {
  readonly clock: Clock;
  readonly listeners: Listeners;

  constructor(private readonly parts: Parts) {
    this.clock = parts.setting.clock;
    this.listeners = parts.listeners;
  }

  propose(tool: unknown, plain: PlainJson): Promise<Proposed> {
    return this.parts.propose(tool, plain);
  }

  claim(approvalId: string): Promise<Verdict> {
    return this.parts.approvals.claim(approvalId);
  }

  used(): BlockVerdict {
    const { decisions, ledger } = this.parts;
    const used = block("approval_used", null, "an approval that nobody has used", "somebody else makes the call");
    return decisions.proposals.verdictOf(ledger.session, used);
  }

  leave(approvalId: string): void {
    this.parts.approvals.leave(approvalId);
  }

  settle(callId: string, outcome: Outcome): Promise<SettleResult> {
    return this.parts.settle(callId, outcome);
  }

  reserved({ callId, hasWaited }: Permitted, name: string, args: Json): ReservedCall {
    const { program, ledger } = this.parts;
    const tool = program.tools.get(name) ?? program.unmatched(name);
    return { callId, tool, args, hasWaited, references: keptReferences(ledger.session, tool, callId) };
  }

  withdraw(request: ApprovalVerdict): Promise<void> {
    return this.parts.approvals.withdraw(request);
  }

  async catchUp(): Promise<BlockVerdict | null> {
    const { ledger, fault } = this.parts;
    try {
      // With nothing to record the ledger makes sure that it knows what other processes did meanwhile.
      return await ledger.transact(() => ({ events: [], result: null }));
    } catch (cause) {
      return fault(cause);
    }
  }

  /** A kill ends the attempts of a call, and so does a label that gates its tool. */
  look({ callId, tool }: ReservedCall): Look {
    const { decisions, ledger, fault } = this.parts;
    if (!ledger.isSound) return fault(new BrokenSession());
    const { session } = ledger;
    // Not kept waiting by the approval of another call: this one has its reservation.
    const refused = admit(session, 0, session.approval?.id) ?? this.gatedSince(session, tool);
    if (refused !== null) return decisions.proposals.verdictOf(session, refused);
    if (unsettledCall(session, callId) !== undefined) return { kind: "go" };
    const gone = block("guard_fault", null, "a reservation that is open", "one that somebody else settled");
    return { kind: "gone", verdict: decisions.proposals.verdictOf(session, gone) };
  }

  judgeOutput({ callId, tool, references }: ReservedCall, output: Json): Violation | null {
    const { program, ledger, setting } = this.parts;
    const { session } = ledger;
    if (setting.mode === "log-only") return null;
    const now = judgeOutput({ program, tool, references: presentReferences(session, callId) }, output);
    if (now !== null || unsettledCall(session, callId) !== undefined) return now;
    // What somebody else settled may have become a reference itself, so those before it count too.
    return judgeOutput({ program, tool, references }, output);
  }

  private gatedSince(session: Session, tool: Tool): Block | null {
    const { program, setting } = this.parts;
    if (session.labels.size === 0 || setting.mode !== "enforce") return null;
    for (const { kind, run } of tool.checks) {
      const refused = kind === "label_gate" ? run(proposalOf(tool, {}), session, program) : null;
      if (refused !== null) return refused;
    }
    return null;
  }
}
