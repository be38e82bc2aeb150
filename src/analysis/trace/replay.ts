import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { roleOfPack } from "../../artifact/roles.js";
import { invariant } from "../../base/invariant.js";
import { isJsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ApprovalVerdict, RecordedAnswer, Verdict } from "../../guard/public.js";
import { createRoleGuard } from "../../guard/role-guard.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { type Signal, UNANSWERED } from "../search/search.js";
import type { Action, Plan, PlannedOutcome } from "./plan.js";
import type { StepOutcome, StepVerdict, Trace, TraceStep } from "./trace.js";

/** A session that was replayed on the shipped guard. */
export interface Replayed {
  readonly trace: Trace;
  /** The places of all rules that refuse the last call. */
  readonly refusals: readonly (Place | null)[];
}

type Call = Action & { readonly kind: "call" };

function stepVerdict(verdict: Verdict): StepVerdict {
  switch (verdict.kind) {
    case "allow":
      return { kind: "allow" };
    case "approval_required":
      return { kind: "approval", rules: verdict.rules };
    case "block": {
      const { reason, rule = null, required = "", found = "" } = verdict;
      return { kind: "block", reason, rule, required, found };
    }
  }
}

function outcomeOf(planned: Exclude<PlannedOutcome, { readonly kind: "open" }>): Outcome {
  return planned.kind === "result" ? planned : UNANSWERED[planned.kind];
}

async function signal(guard: Guard, action: Signal): Promise<void> {
  if (action.kind === "label") await guard.addLabel(action.label);
  else if (action.kind === "cost") await guard.recordCost(action.usd);
  else await guard.beginStep();
}

/** Replays sessions of one pack on guards made as users make them. */
export class Player {
  private time = 0;

  constructor(
    private readonly artifact: Artifact,
    private readonly role: string | undefined,
  ) {}

  /** A guard as users make it. */
  guard({ principal, env }: Pick<Plan, "principal" | "env">): Promise<Guard> {
    return createRoleGuard(this.artifact, {
      env,
      approver: "manual",
      clock: { now: () => this.time },
      ...(isJsonObject(principal) ? { principal } : {}),
      ...(this.role === undefined ? {} : { role: this.role }),
    });
  }

  async play({ principal, env, actions }: Plan): Promise<Replayed> {
    this.time = 0;
    const guard = await this.guard({ principal, env });
    const steps: TraceStep[] = [];
    let refusals: readonly (Place | null)[] = [];
    for (const action of actions) {
      if (action.kind === "call") {
        refusals = guard.explain(action).map(({ rule }) => rule ?? null);
        steps.push(await this.call(guard, action));
        continue;
      }
      if (action.kind === "settle") {
        steps.push(await this.settleOpen(guard, action));
        continue;
      }
      await signal(guard, action);
      steps.push({ ...action, phase: guard.state().phase });
    }
    return { trace: { principal, env, steps }, refusals };
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
    return { kind: "violated", output: planned.output, reason: violation.reason, rule: violation.rule };
  }
}

/** A player for one pack of an artifact: in its role, or without one for the artifact's own pack. */
export function playerOf(artifact: Artifact, pack: CompiledPack): Player {
  return new Player(artifact, roleOfPack(artifact, artifact.packs.indexOf(pack)));
}
