import { unreachable } from "../../base/invariant.js";
import type { Json, JsonObject } from "../../base/json.js";
import { reasonOf } from "../../guard/checks/checkpoint.js";
import { decide } from "../../guard/decide/decide.js";
import { type Block, becauseIn, type Decision } from "../../guard/decide/verdict.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { admission } from "../../workflow/rules/admission.js";
import { callRefusal } from "../../workflow/rules/call-refusal.js";
import { handoffRefusal } from "../../workflow/rules/handoff-refusal.js";
import { startRefusal } from "../../workflow/rules/start-refusal.js";
import { stepRefusal } from "../../workflow/rules/step-refusal.js";
import { isTouch, touchesOf } from "../../workflow/rules/touched-resources.js";
import type { RoleRules, WorkflowRules } from "../../workflow/rules/workflow-rules.js";
import { advanceWorkflow } from "../../workflow/state/advance-workflow.js";
import { newWorkflow, type WorkflowState } from "../../workflow/state/workflow-state.js";
import { perform, signalled } from "../search/search.js";
import { violatedOutcome } from "../trace/act.js";
import type { Action } from "../trace/plan.js";
import type { StepVerdict, TraceStep } from "../trace/trace.js";
import type { WorkflowAction, WorkflowPlan } from "./workflow-plan.js";
import type { TracedSession, WorkflowStep, WorkflowTrace } from "./workflow-trace.js";
import type { WorkflowUnderTest } from "./workflow-under-test.js";

/** A session of a run. */
interface Running {
  readonly role: RoleRules;
  readonly program: Program;
  session: Session;
  /** The call that waits for an approval. */
  asked: { readonly tool: string; readonly args: JsonObject } | null;
}

type Call = Action & { readonly kind: "call" };

function verdictOf(decision: Decision): StepVerdict {
  switch (decision.kind) {
    case "allow":
      return { kind: "allow" };
    case "needs_approval":
      return { kind: "approval", rules: decision.checkpoints.map(({ at }) => at), ...reasonOf(decision.checkpoints) };
    case "block":
      return blockOf(decision);
  }
}

function blockOf({ reason, at: rule, required, found, ...words }: Block): StepVerdict {
  return { kind: "block", reason, rule, ...becauseIn(words), required, found };
}

function isConflict(verdict: StepVerdict): boolean {
  return verdict.kind === "block" && verdict.reason === "resource_conflict";
}

/** Plays a planned run on the pure rules of sessions and of the workflow; each step is null where it does not go as planned. */
class JointRun {
  readonly sessions: TracedSession[] = [];
  private readonly workflow: WorkflowState = newWorkflow();
  private readonly running = new Map<string, Running>();
  private readonly rules: WorkflowRules;

  constructor(
    private readonly under: WorkflowUnderTest,
    private readonly principals: WorkflowPlan["principals"],
  ) {
    this.rules = under.rules;
  }

  go(action: WorkflowAction): WorkflowStep | null {
    switch (action.kind) {
      case "start":
        return this.start(action.session, action.role) ? action : null;
      case "handoff":
        return this.handoff(action) ? action : null;
      case "close":
        advanceWorkflow(this.rules, this.workflow, { kind: "closed", session: action.session });
        return action;
      default: {
        const running = this.running.get(action.session);
        return running === undefined ? null : this.inSession(action, running);
      }
    }
  }

  private inSession(
    action: Exclude<WorkflowAction, { readonly kind: "start" | "handoff" | "close" }>,
    running: Running,
  ): WorkflowStep | null {
    const { session } = action;
    switch (action.kind) {
      case "act": {
        const step = this.act(session, running, action.action);
        return step === null ? null : { kind: "act", session, step };
      }
      case "refused": {
        const { tool, args } = action;
        const verdict = this.judge(session, running, action);
        const { phase } = running.session;
        return isConflict(verdict)
          ? { kind: "act", session, step: { kind: "call", tool, args, verdict, outcome: null, phase } }
          : null;
      }
      case "ask": {
        const { tool, args } = action;
        if (this.judge(session, running, action).kind !== "approval") return null;
        running.asked = { tool, args };
        return { kind: "ask", session, tool, args };
      }
      case "approve": {
        // The call is decided anew, after what the others did meanwhile.
        const { asked } = running;
        const verdict = asked === null ? null : this.judge(session, running, asked);
        if (asked === null || verdict === null || !isConflict(verdict)) return null;
        return { kind: "approve", session, tool: asked.tool, verdict };
      }
      default:
        return unreachable(action);
    }
  }

  private begin(session: string, role: RoleRules, parent: string | null): true {
    const principal = this.principals.get(session) ?? null;
    const program = this.under.program(role.name, principal);
    advanceWorkflow(this.rules, this.workflow, { kind: "started", session, role: role.name, parent });
    this.running.set(session, { role, program, session: newSession(program), asked: null });
    this.sessions.push({ session, role: role.name, parent, principal });
    return true;
  }

  private start(id: string, name: string): boolean {
    const role = this.rules.roles.get(name);
    if (role === undefined || startRefusal(this.rules, this.workflow, role) !== null) return false;
    return this.begin(id, role, null);
  }

  private handoff({ session, child, role: name }: WorkflowAction & { readonly kind: "handoff" }): boolean {
    const to = this.rules.roles.get(name);
    const from = this.workflow.sessions.get(session);
    if (to === undefined || from === undefined) return false;
    const artifacts = { names: new Set(this.rules.handoffs.get(from.role)?.get(name)?.artifacts), problem: null };
    if (handoffRefusal(this.rules, this.workflow, { from, to, artifacts }) !== null) return false;
    return this.begin(child, to, session);
  }

  private judge(
    id: string,
    { program, session, role }: Running,
    { tool: name, args }: { readonly tool: string; readonly args: JsonObject },
  ): StepVerdict {
    const tool = program.tools.get(name) ?? program.unmatched(name);
    const member = this.workflow.sessions.get(id);
    const refused = member === undefined ? null : admission(this.rules, this.workflow, member);
    const decision = refused ?? decide(program, session, proposalOf(tool, args), 0);
    if (decision.kind === "block" || member === undefined) return verdictOf(decision);
    const call = { isStep: session.openSteps === 0, isMutating: !tool.isRead, touches: touchesOf(role, args) };
    const prevented = callRefusal(this.rules, this.workflow, { member, call });
    return prevented === null ? verdictOf(decision) : blockOf(prevented);
  }

  private act(id: string, running: Running, action: Action): TraceStep | null {
    const member = this.workflow.sessions.get(id);
    if (member === undefined) return null;
    if (action.kind === "call") return this.call(id, running, action);
    // A run of several sessions settles every call at once, or leaves it open; and its sessions share one clock, which stays as it is.
    if (action.kind === "settle" || action.kind === "clock" || admission(this.rules, this.workflow, member) !== null)
      return null;
    if (action.kind === "step" && stepRefusal(this.rules, this.workflow) !== null) return null;
    running.session = signalled(running.program, running.session, action);
    this.progress(id, running, action.kind === "cost" ? { costs: [action.usd] } : {});
    return { ...action, phase: running.session.phase };
  }

  private call(id: string, running: Running, action: Call): TraceStep | null {
    const { tool: name, args, outcome: planned, isUnanswered } = action;
    const judged = this.judge(id, running, action);
    const tool = running.program.tools.get(name);
    if (tool === undefined || judged.kind === "block") return null;
    const { session, violation } = perform(running.program, running.session, proposalOf(tool, args), planned);
    this.record(id, running, { tool, action, session });
    const verdict = judged.kind === "approval" && isUnanswered === true ? { ...judged, isUnanswered } : judged;
    const isRejected = planned.kind === "result" && violation !== null;
    const outcome = isRejected ? violatedOutcome(planned.output, violation) : planned;
    return session.isKilled ? null : { kind: "call", tool: name, args, verdict, outcome, phase: session.phase };
  }

  /** What the call means for the others. */
  private record(
    id: string,
    running: Running,
    {
      tool,
      action: { args, outcome },
      session,
    }: { readonly tool: Tool; readonly action: Call; readonly session: Session },
  ): void {
    const callId = `${id} ${running.session.issued + 1}`;
    const touches = touchesOf(running.role, args).filter(isTouch);
    const resources = touches.map(({ resource: { alias }, key }) => ({ alias, key }));
    running.session = session;
    if (resources.length > 0)
      this.progress(id, running, { reserved: [{ callId, isMutating: !tool.isRead, resources }] });
    const isUnsettled = outcome.kind === "open" || (outcome.kind === "lost" && !tool.isRead);
    const isEnded = resources.length > 0 && !isUnsettled;
    this.progress(id, running, isEnded ? { ended: [{ callId, isReleased: outcome.kind !== "result" }] } : {});
  }

  private progress(id: string, { session: { openSteps, ownSteps } }: Running, more: object): void {
    const steps = openSteps + ownSteps;
    advanceWorkflow(this.rules, this.workflow, { kind: "progressed", session: id, steps, ...more });
  }
}

/** A planned run by the rules; null if it is not possible. */
export function runOf(under: WorkflowUnderTest, { env, principals, actions }: WorkflowPlan): WorkflowTrace | null {
  const run = new JointRun(under, principals);
  const steps: WorkflowStep[] = [];
  for (const action of actions) {
    const step = run.go(action);
    if (step === null) return null;
    steps.push(step);
  }
  return { env, sessions: run.sessions, steps };
}

/** Whose principal each session has: that of its role, unless given. */
export function principalsOf(
  under: WorkflowUnderTest,
  actions: readonly WorkflowAction[],
  given: ReadonlyMap<string, Json | null> = new Map(),
): ReadonlyMap<string, Json | null> {
  const begun = actions.flatMap((action): [string, string][] => {
    if (action.kind === "start") return [[action.session, action.role]];
    return action.kind === "handoff" ? [[action.child, action.role]] : [];
  });
  return new Map(begun.map(([id, role]) => [id, given.has(id) ? (given.get(id) ?? null) : under.role(role).principal]));
}
