import type { Artifact } from "../../artifact/compiled.js";
import type { JsonObject } from "../../base/json.js";
import { isArtifactChanged } from "../../guard/durable/log-errors.js";
import type { Guard } from "../../guard/guard-api.js";
import type { WorkflowStep } from "../log/coordinator.js";
import { killRefusal } from "../rules/kill-refusal.js";
import { hasEnded, type WorkflowState } from "../state/workflow-state.js";
import { type CheckedKill, checkedKill, checkedSessionOptions, givenOptions } from "./checked-options.js";
import { openedNote } from "./opened-note.js";
import { SeatedSession } from "./seated-session.js";
import { changed, type From, memberOf, startSession } from "./started-session.js";
import type {
  HandoffOptions,
  Kill,
  SessionOptions,
  Workflow,
  WorkflowOptions,
  WorkflowSession,
  WorkflowView,
} from "./workflow-api.js";
import { roleNamed, type WorkflowParts, workflowParts } from "./workflow-parts.js";
import { WorkflowRefused } from "./workflow-refused.js";
import { workflowView } from "./workflow-view.js";

/** A session with its guard. */
class OpenSession implements WorkflowSession {
  constructor(
    private readonly workflow: OpenWorkflow,
    private readonly session: SeatedSession,
    readonly guard: Guard,
  ) {}

  get id(): string {
    return this.session.id;
  }

  get role(): string {
    return this.session.role.name;
  }

  get artifacts(): JsonObject {
    return this.session.origin.artifacts;
  }

  get parent(): string | null {
    return this.workflow.parentOf(this.id);
  }

  handoff(role: string, options?: HandoffOptions): Promise<WorkflowSession> {
    return this.workflow.handoff(this.id, role, options);
  }

  close(): Promise<void> {
    return this.workflow.close(this.id);
  }
}

/** One workflow in this process. */
class OpenWorkflow implements Workflow {
  constructor(private readonly parts: WorkflowParts) {}

  get id(): string {
    return this.parts.coordinator.identity.id;
  }

  get artifactHash(): string {
    return this.parts.artifact.hash;
  }

  /** As far as this process knows. */
  parentOf(session: string): string | null {
    return this.parts.coordinator.state.sessions.get(session)?.parent ?? null;
  }

  async start(role: string, options?: SessionOptions): Promise<WorkflowSession> {
    return this.begin(role, checkedSessionOptions(options), null);
  }

  async handoff(parent: string, role: string, options?: HandoffOptions): Promise<WorkflowSession> {
    const { artifacts, ...rest } = checkedSessionOptions(options, true);
    return this.begin(role, rest, { parent, artifacts });
  }

  async attach(sessionId: string, options?: Omit<SessionOptions, "sessionId">): Promise<WorkflowSession> {
    const { sessionId: _, ...given } = checkedSessionOptions(options);
    const { coordinator, rules } = this.parts;
    await this.fresh();
    const { id, role } = memberOf(coordinator.state, sessionId);
    const { mode, requester, artifacts } = await openedNote(this.parts, id);
    const own = { mode, ...(requester === null ? {} : { requester }), ...givenOptions(given), sessionId: id };
    const origin = { parent: this.parentOf(id), artifacts };
    const session = new SeatedSession(this.parts, roleNamed(rules, role), { options: own, origin });
    return new OpenSession(this, session, await session.guard());
  }

  async close(sessionId: string): Promise<void> {
    await this.parts.coordinator.transact(async (state): Promise<WorkflowStep<void>> => {
      const isOver = hasEnded(memberOf(state, sessionId));
      return { events: isOver ? [] : [{ kind: "closed", session: sessionId }], result: undefined };
    });
  }

  async kill(given: Kill): Promise<void> {
    const kill = checkedKill(given);
    const { coordinator, rules } = this.parts;
    // Another process may have started it.
    if (kill.session !== null && !coordinator.state.sessions.has(kill.session)) await this.fresh();
    const refused = await coordinator.transact(async (state) => {
      if (kill.session !== null) memberOf(state, kill.session);
      const result = killRefusal(rules, kill);
      if (result !== null) return { events: [{ kind: "kill_refused", ...kill } as const], result };
      return { events: isDone(state, kill) ? [] : [{ kind: "killed", ...kill } as const], result };
    });
    if (refused !== null) throw new WorkflowRefused(`a kill of scope \`${kill.scope}\``, refused);
  }

  async state(): Promise<WorkflowView> {
    await this.fresh();
    const { rules, coordinator } = this.parts;
    return workflowView(rules, coordinator.state);
  }

  /** Reads what others have recorded. */
  async fresh(): Promise<void> {
    try {
      await this.parts.coordinator.open();
    } catch (cause) {
      throw isArtifactChanged(cause) ? new WorkflowRefused("the workflow", changed(cause)) : cause;
    }
  }

  private async begin(role: string, options: SessionOptions, from: From | null): Promise<WorkflowSession> {
    const { rules } = this.parts;
    const session = await startSession(this.parts, roleNamed(rules, role), { options: givenOptions(options), from });
    return new OpenSession(this, session, await session.guard());
  }
}

/** Whether a kill would change nothing. */
function isDone(state: WorkflowState, { scope, session }: CheckedKill): boolean {
  if (scope === "workflow") return state.isKilled;
  return scope === "session" && hasEnded(memberOf(state, session));
}

/**
 * Opens a workflow in a store, or begins it there. Rejects with WorkflowRefused (`artifact_changed`) if it began under another
 * artifact.
 */
export async function openWorkflow(artifact: Artifact | null, options: WorkflowOptions): Promise<Workflow> {
  const workflow = new OpenWorkflow(workflowParts(artifact, options));
  await workflow.fresh();
  return workflow;
}
