import type { Artifact } from "../../artifact/compiled.js";
import { invariant } from "../../base/invariant.js";
import { isJsonObject } from "../../base/json.js";
import type { DurableStore } from "../../guard/durable-store.js";
import { openWorkflow } from "../../workflow/api/open-workflow.js";
import type { Workflow, WorkflowSession } from "../../workflow/api/workflow-api.js";
import { Actor, stepVerdict } from "../trace/act.js";
import type { WorkflowAction, WorkflowPlan } from "./workflow-plan.js";
import type { TracedSession, WorkflowStep, WorkflowTrace } from "./workflow-trace.js";

/** An approval that is not answered yet. */
interface Pending {
  readonly approvalId: string;
  readonly tool: string;
}

type SessionAction = Exclude<WorkflowAction, { readonly kind: "start" | "handoff" | "close" }>;

/** One run, on a workflow and guards as users open them. */
class Played {
  readonly sessions: TracedSession[] = [];
  private readonly opened = new Map<string, WorkflowSession>();
  private readonly pending = new Map<string, Pending>();

  constructor(
    private readonly artifact: Artifact,
    private readonly workflow: Workflow,
    private readonly actor: Actor,
    private readonly principals: WorkflowPlan["principals"],
  ) {}

  async step(action: WorkflowAction): Promise<WorkflowStep> {
    switch (action.kind) {
      case "start":
        this.begun(await this.workflow.start(action.role, this.options(action.session)));
        return action;
      case "handoff": {
        const { session, child, role } = action;
        const from = this.session(session);
        const options = { ...this.options(child), artifacts: this.artifacts(from.role, role) };
        this.begun(await from.handoff(role, options));
        return action;
      }
      case "close":
        await this.session(action.session).close();
        return action;
      default:
        return this.acted(action);
    }
  }

  private async acted(action: SessionAction): Promise<WorkflowStep> {
    const { session } = action;
    const { guard } = this.session(session);
    switch (action.kind) {
      case "act":
        return { kind: "act", session, step: await this.actor.act(guard, action.action) };
      case "refused": {
        const { tool, args } = action;
        const call = { kind: "call", tool, args, outcome: { kind: "open" } } as const;
        return { kind: "act", session, step: await this.actor.act(guard, call) };
      }
      case "ask": {
        const { tool, args } = action;
        const verdict = await guard.propose({ tool, args });
        invariant(verdict.kind === "approval_required", "the guard asks for the approval that was planned");
        this.pending.set(session, { approvalId: verdict.approvalId, tool });
        return { kind: "ask", session, tool, args };
      }
      case "approve": {
        const asked = this.pending.get(session);
        invariant(asked !== undefined, "an approval is given where one was asked for");
        const verdict = await guard.approve(asked.approvalId, { by: "reviewer" });
        invariant(verdict.kind !== "recorded", "the guard that asked decides");
        return { kind: "approve", session, tool: asked.tool, verdict: stepVerdict(verdict) };
      }
    }
  }

  private begun(opened: WorkflowSession): void {
    const { id: session, role, parent } = opened;
    this.opened.set(session, opened);
    this.sessions.push({ session, role, parent, principal: this.principals.get(session) ?? null });
  }

  private session(id: string): WorkflowSession {
    const session = this.opened.get(id);
    invariant(session !== undefined, "a session acts after it began");
    return session;
  }

  private options(sessionId: string) {
    const principal = this.principals.get(sessionId) ?? null;
    return { sessionId, approver: "manual" as const, ...(isJsonObject(principal) ? { principal } : {}) };
  }

  /** Something for each artifact that the handoff must bring; no rule reads what it is. */
  private artifacts(from: string, to: string): Readonly<Record<string, string>> {
    const handoff = this.artifact.workflow?.handoffs.find((each) => each.from === from && each.to === to);
    return Object.fromEntries((handoff?.requires_artifacts ?? []).map((name) => [name, name]));
  }
}

/** Plays a planned run on `openWorkflow`, in a store of its own. */
export async function playWorkflow(
  artifact: Artifact,
  { env, principals, actions }: WorkflowPlan,
  openStore: () => DurableStore,
): Promise<WorkflowTrace> {
  const actor = new Actor();
  const store = openStore();
  const workflow = await openWorkflow(artifact, { store, workflowId: "run", env, clock: { now: () => actor.time } });
  const played = new Played(artifact, workflow, actor, principals);
  const steps: WorkflowStep[] = [];
  for (const action of actions) steps.push(await played.step(action));
  return { env, sessions: played.sessions, steps };
}
