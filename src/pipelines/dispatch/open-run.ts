import { createGuard } from "../../guard/guard.js";
import type { ProxyCall } from "../../guard/wrap/call-options.js";
import { createProxyCall } from "../proxy/proxy-call.js";
import type { Tracer } from "../proxy/traces.js";
import type { DispatchEnvelope } from "./dispatch-envelope.js";
import { type CheckedRunOptions, clientOptions } from "./run-options.js";
import { principalOf, type RunParts, type RunSession, type RunSessions } from "./run-session.js";
import { RunWorkflow } from "./run-workflow.js";

/** Without a workflow sub-agents share one session; only the attribution of their calls differs. */
class SharedSession implements RunSession {
  readonly role = null;
  readonly artifacts = {};

  constructor(
    private readonly tracer: Tracer,
    readonly call: ProxyCall,
    readonly actorId: string | null,
  ) {}

  async handoff(payload: object): Promise<RunSession> {
    this.tracer.handoff(payload);
    const to: unknown = Object(payload).to;
    return new SharedSession(this.tracer, this.call, typeof to === "string" ? to : this.actorId);
  }

  async close(): Promise<void> {}
}

/** The guard of a run without a workflow. */
async function guardedCall({ options, run, proxyCall }: RunParts): Promise<ProxyCall> {
  const { artifact, principal, approver, clock, sessionId } = options;
  if (artifact === null) return proxyCall;
  const guard = await createGuard(artifact, {
    ...options.guard,
    clock,
    ...(principal === undefined ? {} : { principal: principalOf(principal, run, null) }),
    ...(approver === undefined ? {} : { approver }),
    ...(sessionId === undefined ? {} : { sessionId: sessionId(run) }),
  });
  return guard.wrap(proxyCall);
}

/** Opens what the calls of one run go through: its own client, and its own guard or workflow. */
export async function openRunSessions(
  { proxyUrl, runToken, run }: DispatchEnvelope,
  options: CheckedRunOptions,
  tracer: Tracer,
): Promise<RunSessions> {
  const proxyCall = createProxyCall({ proxyUrl, runToken, clock: options.clock, ...clientOptions(options) });
  const parts = { options, run, proxyCall, tracer };
  if (options.workflow !== null) return RunWorkflow.open(parts, options.workflow);
  const root = new SharedSession(tracer, await guardedCall(parts), null);
  return { root, close: () => root.close() };
}
