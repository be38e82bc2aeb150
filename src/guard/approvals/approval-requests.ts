import { type Block, becauseIn } from "../decide/verdict.js";
import type { DecisionRecorder } from "../decision-recorder.js";
import type { Listeners } from "../listeners.js";
import type { Proposal } from "../program/program.js";
import type { ApprovalVerdict, Verdict } from "../public.js";
import type { ResolvedOptions } from "../resolved-options.js";
import type { Ledger } from "../session/ledger.js";
import { plainJson } from "../values/plain-json.js";
import type { Approvals } from "./approvals.js";
import { coalesced } from "./coalesced.js";

/** What reporting a request needs from the guard. */
interface Parts {
  readonly approvals: Approvals;
  readonly ledger: Ledger;
  readonly listeners: Listeners;
  readonly options: ResolvedOptions;
  readonly recorder: DecisionRecorder;
}

/** Reports requests for approval, asks the approver, and notices what others record before it answers. */
export class ApprovalRequests {
  constructor(private readonly parts: Parts) {}

  /** Reports a request, and asks an approver that is a function; returns the verdict that its answer leads to. */
  report(verdict: ApprovalVerdict, tool: string, proposal: Proposal | Block): Promise<Verdict> | null {
    const { approvals, ledger, listeners, options, recorder } = this.parts;
    const { approvalId, deadline, rules } = verdict;
    const places = rules.map((rule) => ({ ...rule }));
    listeners.emit("approval_requested", { approvalId, tool, deadline, rules: places, ...becauseIn(verdict) });
    // A listener may have killed the session: then no approver is asked.
    if (recorder.isKilled) return Promise.resolve(recorder.killed());
    const { approver, sessionId } = options;
    if (typeof approver !== "function" || proposal.kind === "block") return null;
    // A copy, so that an approver cannot change what is judged.
    const copy = plainJson(proposal.args);
    const args = copy.ok ? copy.value : null;
    const asked = approvals.ask(approver, { ...verdict, sessionId, tool, args });
    // Somebody else may answer, or kill the session, while the approver thinks. Not one look for each record of a busy
    // session: decisions of callers would wait behind them.
    const stop = ledger.watch(coalesced(() => this.look(approvalId)));
    void asked.then(stop, stop);
    return asked;
  }

  /** Reads what others recorded while an approver is asked; a failure is noticed with the next decision. */
  private async look(approvalId: string): Promise<void> {
    const { approvals, ledger, options, recorder } = this.parts;
    try {
      await ledger.transact(() => ({ events: [], result: undefined }));
    } catch {
      return;
    }
    recorder.reportKill();
    const isOver = options.seat !== null && options.seat.admit() !== null;
    if (isOver || ledger.session.approval?.id !== approvalId) approvals.stop(approvalId);
  }
}
