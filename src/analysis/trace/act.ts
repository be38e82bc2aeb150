import { invariant } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import { becauseIn } from "../../guard/decide/verdict.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ApprovalVerdict, RecordedAnswer, Verdict, Violation } from "../../guard/public.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { UNANSWERED } from "../search/search.js";
import { START_TIME } from "../state/clock.js";
import type { Action, PlannedOutcome, Signal } from "./plan.js";
import type { StepOutcome, StepVerdict, TraceStep } from "./trace.js";

type Call = Action & { readonly kind: "call" };

/** A verdict as a trace shows it. */
export function stepVerdict(verdict: Verdict): StepVerdict {
  switch (verdict.kind) {
    case "allow":
      return { kind: "allow" };
    case "approval_required":
      return { kind: "approval", rules: verdict.rules, ...becauseIn(verdict) };
    case "block": {
      const { reason, rule = null, required = "", found = "" } = verdict;
      return { kind: "block", reason, rule, ...becauseIn(verdict), required, found };
    }
  }
}

/** An output that was rejected, as a trace shows it. */
export function violatedOutcome(output: Json, violation: Violation): StepOutcome {
  const { reason, rule } = violation;
  return { kind: "violated", output, reason, rule, ...becauseIn(violation) };
}

function outcomeOf(planned: Exclude<PlannedOutcome, { readonly kind: "open" }>): Outcome {
  return planned.kind === "result" ? planned : UNANSWERED[planned.kind];
}

async function signal(guard: Guard, action: Signal): Promise<void> {
  if (action.kind === "label") await guard.addLabel(action.label);
  else if (action.kind === "cost") await guard.recordCost(action.usd);
  else await guard.beginStep();
}

/** Performs planned actions on guards as users have them, and tells what came of each. */
export class Actor {
  /** The time of the guards' clock. */
  time = START_TIME;
  /** What the outputs that were rejected lacked. */
  readonly rejections: string[] = [];

  /** Before the actions of another plan. */
  begin(): void {
    this.time = START_TIME;
    this.rejections.length = 0;
  }

  async act(guard: Guard, action: Action): Promise<TraceStep> {
    if (action.kind === "call") return this.call(guard, action);
    if (action.kind === "settle") return this.settleOpen(guard, action);
    if (action.kind === "clock") this.time = Math.max(this.time, action.now);
    else await signal(guard, action);
    return { ...action, phase: guard.state().phase };
  }

  private async call(guard: Guard, { tool, args, outcome: planned, isUnanswered }: Call): Promise<TraceStep> {
    const verdict = await guard.propose({ tool, args });
    const answered = verdict.kind === "approval_required" ? await this.answer(guard, verdict, isUnanswered) : verdict;
    const outcome = answered.kind === "allow" ? await this.settle(guard, answered.callId, planned) : null;
    const stepped = stepVerdict(verdict);
    const shown = stepped.kind === "approval" && isUnanswered ? { ...stepped, isUnanswered } : stepped;
    return { kind: "call", tool, args, verdict: shown, outcome, phase: guard.state().phase };
  }

  /** Approves a call, or lets the approval expire. */
  private answer(
    guard: Guard,
    { approvalId, deadline }: ApprovalVerdict,
    isUnanswered: true | undefined,
  ): Promise<Verdict | RecordedAnswer> {
    if (isUnanswered !== true) return guard.approve(approvalId, { by: "reviewer" });
    this.time = deadline;
    return guard.resume(approvalId);
  }

  private async settleOpen(guard: Guard, { output }: Action & { readonly kind: "settle" }): Promise<TraceStep> {
    const [open] = guard.state().unsettled;
    invariant(open !== undefined, "a call is open");
    await guard.settle(open.callId, { kind: "result", output });
    return { kind: "settle", tool: open.tool, output, phase: guard.state().phase };
  }

  private async settle(guard: Guard, callId: string, planned: PlannedOutcome): Promise<StepOutcome> {
    if (planned.kind === "open") return planned;
    const { violation } = await guard.settle(callId, outcomeOf(planned));
    if (planned.kind !== "result") return planned;
    if (violation === undefined) return planned;
    this.rejections.push(violation.required);
    return violatedOutcome(planned.output, violation);
  }
}
