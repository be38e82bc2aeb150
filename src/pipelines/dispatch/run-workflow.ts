import type { JsonObject } from "../../base/json.js";
import { block } from "../../guard/decide/verdict.js";
import { isStoreUnavailable } from "../../guard/session/store-errors.js";
import type { ProxyCall } from "../../guard/wrap/call-options.js";
import { openWorkflow } from "../../workflow/api/open-workflow.js";
import type { HandoffOptions, SessionOptions, Workflow, WorkflowSession } from "../../workflow/api/workflow-api.js";
import { WorkflowRefused, workflowRefused } from "../../workflow/api/workflow-refused.js";
import { checkActorId } from "../proxy/proxy-options.js";
import { principalOf, type RunParts, type RunSession, type RunSessions } from "./run-session.js";
import type { CheckedWorkflow } from "./workflow-options.js";

/** A sub-agent as a handoff names it. */
interface Target {
  readonly actorId: string;
  readonly role: string;
}

/** The path of a sub-agent continues that of the agent before it; its last name is its role, unless one is given. */
function targetOf(payload: object, from: string): Target {
  // A model may have made it.
  const { to, role }: { readonly to?: unknown; readonly role?: unknown } = Object(payload);
  if (typeof to !== "string" || to === "") throw new TypeError("a handoff names the sub-agent: `to`");
  if (role !== undefined && typeof role !== "string") throw new TypeError("the `role` of a handoff must be a text");
  const actorId = to.startsWith(`${from}/`) ? to : `${from}/${to}`;
  return { actorId: checkActorId(actorId), role: role ?? to.slice(to.lastIndexOf("/") + 1) };
}

/** One agent of a run, in a session of the run's workflow. */
class SeatedAgent implements RunSession {
  readonly call: ProxyCall;

  constructor(
    private readonly run: RunWorkflow,
    readonly session: WorkflowSession,
    readonly actorId: string,
  ) {
    this.call = session.guard.wrap(run.proxyCall);
  }

  get role(): string {
    return this.session.role;
  }

  get artifacts(): JsonObject {
    return this.session.artifacts;
  }

  async handoff(payload: object): Promise<RunSession> {
    return this.run.handoff(this, payload);
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/** The workflow of one run: its agent is a root of it, and sub-agents are sessions that it handed off to. */
export class RunWorkflow implements RunSessions {
  readonly root: SeatedAgent;
  /** In the order in which they began. */
  private readonly agents: SeatedAgent[] = [];
  /** Ids of sessions whose start was not answered: nobody was given them, and they may have begun. */
  private readonly unanswered = new Set<string>();
  /** Starts that are under way. */
  private readonly starting = new Set<Promise<WorkflowSession>>();
  private isOver = false;

  private constructor(
    private readonly parts: RunParts,
    private readonly workflow: Workflow,
    root: WorkflowSession,
    /** Ids of sessions that the workflow has. */
    private readonly known: Set<string>,
  ) {
    this.root = this.seated(root, root.role);
  }

  get proxyCall(): ProxyCall {
    return this.parts.proxyCall;
  }

  static async open(parts: RunParts, { artifact, store, role }: CheckedWorkflow): Promise<RunWorkflow> {
    const { options, run } = parts;
    const { mode: _mode, unmatched: _unmatched, store: _store, ...common } = options.guard ?? {};
    const workflow = await openWorkflow(artifact, {
      ...{ ...common, store, clock: options.clock },
      ...(options.workflowId === undefined ? {} : { workflowId: options.workflowId(run) }),
    });
    // A new one has no sessions.
    const { sessions } = options.workflowId === undefined ? { sessions: [] } : await workflow.state();
    const known = new Set(sessions.map(({ id }) => id));
    return new RunWorkflow(parts, workflow, await rootOf(workflow, parts, { role, known }), known);
  }

  /** A session for a sub-agent; the platform learns of it once it is recorded. */
  async handoff(from: SeatedAgent, payload: object): Promise<RunSession> {
    const { actorId, role } = targetOf(payload, from.actorId);
    const { artifacts = {}, ...rest }: { readonly artifacts?: HandoffOptions["artifacts"] } = payload;
    const start = this.begun(from, { actorId, role }, artifacts);
    this.starting.add(start);
    const agent = this.seated(await start.finally(() => this.starting.delete(start)), actorId);
    // What the artifacts hold is between the agents.
    this.parts.tracer.handoff({ ...rest, from: from.actorId, to: actorId, role, artifacts: Object.keys(artifacts) });
    if (this.isOver) await agent.close();
    return agent;
  }

  /** The run is over: nobody acts in its sessions any more, unless another run is to go on with the same workflow. */
  async close(): Promise<void> {
    this.isOver = this.parts.options.workflowId === undefined;
    // In a workflow that outlives the run an id that was not answered may be another run's by now.
    if (!this.isOver) return;
    // A close that waits for its turn behind one of them may fail, and how they end is not known before.
    await Promise.allSettled(this.starting);
    const failures: unknown[] = [];
    for (const agent of this.agents.toReversed()) await agent.close().catch((cause: unknown) => failures.push(cause));
    await this.endUnanswered().catch((cause: unknown) => failures.push(cause));
    // Nobody else closes the others: they are closed all the same.
    if (failures.length > 0) throw failures[0];
  }

  /** Ends those that have begun all the same. */
  private async endUnanswered(): Promise<void> {
    if (this.unanswered.size === 0) return;
    const { sessions } = await this.workflow.state();
    for (const { id: session } of sessions.filter(({ id }) => this.unanswered.has(id)))
      await this.workflow.kill({ scope: "session", session, why: "the store did not answer its start" });
  }

  private seated(session: WorkflowSession, actorId: string): SeatedAgent {
    const agent = new SeatedAgent(this, session, actorId);
    this.agents.push(agent);
    this.known.add(session.id);
    return agent;
  }

  private async begun(
    { session }: SeatedAgent,
    { actorId, role }: Target,
    artifacts: NonNullable<HandoffOptions["artifacts"]>,
  ): Promise<WorkflowSession> {
    const options = { ...sessionOptions(this.parts, role), artifacts };
    for (;;) {
      const sessionId = this.idOf(actorId);
      try {
        return await session.handoff(role, { ...options, sessionId });
      } catch (cause) {
        if (isStoreUnavailable(cause)) this.unanswered.add(sessionId);
        // Another run of the workflow has begun one of the same path meanwhile: this one has the next number.
        if (!(cause instanceof WorkflowRefused) || cause.verdict.reason !== "session_exists") throw cause;
      }
    }
  }

  /** Says which agent of which run it is; agents of one path are numbered. */
  private idOf(actorId: string): string {
    const { id, role } = this.root.session;
    const path = `${id}${actorId.slice(role.length)}`;
    let chosen = path;
    for (let number = 2; this.known.has(chosen); number++) chosen = `${path}#${number}`;
    this.known.add(chosen);
    return chosen;
  }
}

function sessionOptions({ options, run }: RunParts, role: string): SessionOptions {
  const { principal, approver, guard = {} } = options;
  const { mode, unmatched } = guard;
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(unmatched === undefined ? {} : { unmatched }),
    ...(principal === undefined ? {} : { principal: principalOf(principal, run, role) }),
    ...(approver === undefined ? {} : { approver }),
  };
}

async function hasSession(workflow: Workflow, sessionId: string): Promise<boolean> {
  const { sessions } = await workflow.state();
  return sessions.some(({ id }) => id === sessionId);
}

/** A session of another role has another contract, by which the agent would be judged unnoticed. */
function ofRole(session: WorkflowSession, role: string): WorkflowSession {
  if (session.role === role) return session;
  const [required, found] = [`a session of the role \`${role}\``, `one of the role \`${session.role}\``];
  throw workflowRefused(`a run of \`${role}\``, block("session_exists", null, required, found));
}

/** The session of the run's own agent: a new one, or the one that an earlier run has begun. */
async function rootOf(
  workflow: Workflow,
  parts: RunParts,
  { role, known }: { readonly role: string; readonly known: ReadonlySet<string> },
): Promise<WorkflowSession> {
  const { options, run } = parts;
  const own = sessionOptions(parts, role);
  const sessionId = options.sessionId?.(run);
  if (sessionId === undefined) return workflow.start(role, own);
  const attached = async () => ofRole(await workflow.attach(sessionId, own), role);
  if (known.has(sessionId)) return attached();
  try {
    return await workflow.start(role, { ...own, sessionId });
  } catch (cause) {
    // Another run may have begun it meanwhile, and with it reached a limit.
    if (!(cause instanceof WorkflowRefused) || cause.verdict.reason === "workflow_killed") throw cause;
    if (!(await hasSession(workflow, sessionId))) throw cause;
    return attached();
  }
}
