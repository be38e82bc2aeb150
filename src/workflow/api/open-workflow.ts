import type { Artifact } from "../../artifact/compiled.js";
import type { JsonObject } from "../../base/json.js";
import { keepArtifact } from "../../guard/durable/open-session.js";
import type { Guard } from "../../guard/guard-api.js";
import type { WorkflowStep } from "../log/coordinator.js";
import { type Persistence, URGENT } from "../log/persistence.js";
import { hasEnded, type WorkflowState } from "../state/workflow-state.js";
import { checkedKill, checkedSessionOptions, givenOptions } from "./checked-options.js";
import { killSessions } from "./kill-sessions.js";
import { memberOf } from "./member-of.js";
import { openedNote } from "./opened-note.js";
import { SeatedSession } from "./seated-session.js";
import { type From, startSession } from "./started-session.js";
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
import { unlessChanged, workflowRefused } from "./workflow-refused.js";
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
    return this.workflow.handoff({ parent: this.id, isKilled: () => this.guard.state().killed }, role, options);
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

  async handoff(from: Omit<From, "artifacts">, role: string, options?: HandoffOptions): Promise<WorkflowSession> {
    const { artifacts, ...rest } = checkedSessionOptions(options, true);
    return this.begin(role, rest, { ...from, artifacts });
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
    const close = async (state: WorkflowState): Promise<WorkflowStep<void>> => {
      const isOver = hasEnded(memberOf(state, sessionId));
      return { events: isOver ? [] : [{ kind: "closed", session: sessionId }], result: undefined };
    };
    await unlessChanged("a close", () => this.parts.coordinator.transact(close));
  }

  async kill(given: Kill): Promise<void> {
    const kill = checkedKill(given);
    const { coordinator, rules, artifact, options, storeTimeoutMs } = this.parts;
    // Another process may have started it.
    if (kill.session !== null && !coordinator.state.sessions.has(kill.session)) await this.fresh(URGENT);
    if (coordinator.isEmpty) await keepArtifact(options.store, artifact, storeTimeoutMs);
    const what = `a kill of scope \`${kill.scope}\``;
    const refused = await unlessChanged(what, () => killSessions({ coordinator, rules }, kill));
    if (refused !== null) throw workflowRefused(what, refused);
  }

  async state(): Promise<WorkflowView> {
    await this.fresh();
    const { rules, coordinator } = this.parts;
    return workflowView(rules, coordinator.state);
  }

  /** Reads what others have recorded. */
  async fresh(persistence?: Persistence): Promise<void> {
    await unlessChanged("the workflow", () => this.parts.coordinator.open(persistence));
  }

  private async begin(role: string, options: SessionOptions, from: From | null): Promise<WorkflowSession> {
    const { rules } = this.parts;
    const session = await startSession(this.parts, roleNamed(rules, role), { options: givenOptions(options), from });
    return new OpenSession(this, session, await session.guard());
  }
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
