import type { JsonObject } from "../../base/json.js";
import { createGuard } from "../../guard/guard.js";
import type { ProxyCall } from "../../guard/wrap/call-options.js";
import { checkedCallOptions } from "../../guard/wrap/call-options.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { createProxyCall } from "../proxy/proxy-call.js";
import { createTracer, type Tracer } from "../proxy/traces.js";
import type { AgentContext, RunIds } from "./agent.js";
import { agentReply } from "./agent-reply.js";
import type { DispatchEnvelope } from "./dispatch-envelope.js";
import { agentTimeMs, type CheckedRunOptions, clientOptions, reportError } from "./run-options.js";
import { RunScope } from "./run-scope.js";
import { Transcript } from "./transcript.js";

/** The reply to a run, or why there is none. */
export type RunResult =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly status: number; readonly code: string; readonly message: string };

/** When a run began, and the signal that ends it. */
export interface RunStart {
  /** By the monotonic clock of the process. */
  readonly started: number;
  readonly signal: AbortSignal;
}

type Outcome =
  | { readonly kind: "answered"; readonly answer: unknown }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "stopped" };

/** The time left after a run is for the reply, so trace events get little of it. */
const FLUSH_MS = 100;

/** The calls of one run: its own client, its own guard. */
async function guardedCall(envelope: DispatchEnvelope, options: CheckedRunOptions): Promise<ProxyCall> {
  const { artifact, principal, approver, clock, sessionId } = options;
  const { proxyUrl, runToken } = envelope;
  const proxyCall = createProxyCall({ proxyUrl, runToken, clock, ...clientOptions(options) });
  if (artifact === null) return proxyCall;
  const guard = await createGuard(artifact, {
    ...options.guard,
    clock,
    ...(principal === undefined ? {} : { principal: principalOf(principal, envelope.run) }),
    ...(approver === undefined ? {} : { approver }),
    ...(sessionId === undefined ? {} : { sessionId: sessionId(envelope.run) }),
  });
  return guard.wrap(proxyCall);
}

function principalOf(principal: NonNullable<CheckedRunOptions["principal"]>, run: RunIds): unknown {
  return typeof principal === "function" ? principal(run) : principal;
}

/** The parts of one run; none of them outlives it. */
interface LiveRun {
  readonly scope: RunScope;
  readonly transcript: Transcript;
  readonly tracer: Tracer;
  readonly call: ProxyCall;
}

function contextOf({ userInstruction, taskInput, history, run }: DispatchEnvelope, live: LiveRun): AgentContext {
  const { scope, transcript, tracer, call } = live;
  return {
    userInstruction,
    taskInput,
    history,
    callTool: (tool, args, options = {}) => {
      const make = async () => {
        const { signal: own, others } = checkedCallOptions(options);
        return scope.call(own, (signal) => call(tool, args, { ...others, signal }));
      };
      const made = transcript.record(tool, args, make);
      // A failed call that the agent does not await must not end the process.
      made.catch(() => undefined);
      return made;
    },
    trace: tracer.trace,
    handoff: tracer.handoff,
    signal: scope.signal,
    run,
  };
}

async function runAgent(envelope: DispatchEnvelope, options: CheckedRunOptions, live: LiveRun): Promise<Outcome> {
  const answered = (async (): Promise<Outcome> => {
    try {
      return { kind: "answered", answer: await options.agent(contextOf(envelope, live)) };
    } catch (error) {
      return { kind: "failed", error };
    }
  })();
  const stopped = live.scope.ended.then((): Outcome => ({ kind: "stopped" }));
  return Promise.race([answered, stopped]);
}

/** The answer to the user; null if the agent failed without one. */
function answerOf(outcome: Outcome, { runTimeoutSeconds }: CheckedRunOptions): unknown {
  switch (outcome.kind) {
    case "answered":
      return outcome.answer ?? "";
    case "stopped":
      return `The run was stopped before the agent had finished: it reached its time limit of ${runTimeoutSeconds} s.`;
    case "failed":
      // A refusal that the agent does not catch ends the run, but is not a fault of the endpoint.
      return outcome.error instanceof ContractViolation
        ? `The run was stopped: a call was refused by its contract. ${outcome.error.message}`
        : null;
  }
}

/** Runs the agent once, for one envelope, and makes its reply. */
export async function executeRun(
  envelope: DispatchEnvelope,
  options: CheckedRunOptions,
  { started, signal }: RunStart,
): Promise<RunResult> {
  const { responseContract, clock } = options;
  const { proxyUrl, runToken, run } = envelope;
  let tracer: Tracer;
  try {
    tracer = createTracer({ proxyUrl, runToken, clock });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return { ok: false, status: 400, code: "bad_envelope", message: `the dispatch cannot be used: ${cause.message}` };
  }
  const { allowedOrigins } = options;
  if (allowedOrigins !== null && !allowedOrigins.has(new URL(proxyUrl).origin)) {
    return { ok: false, status: 403, code: "proxy_not_allowed", message: "calls to this proxy are not allowed" };
  }
  const call = await guardedCall(envelope, options);
  const transcript = new Transcript(envelope.userInstruction);
  const left = agentTimeMs(options.runTimeoutSeconds) - (performance.now() - started);
  const scope = new RunScope(left, signal);
  try {
    const outcome = await runAgent(envelope, options, { scope, transcript, tracer, call });
    const answer = answerOf(outcome, options);
    if (outcome.kind === "failed") reportError(options, outcome.error, run);
    await tracer.flush(FLUSH_MS);
    if (answer === null) {
      const name = outcome.kind === "failed" && outcome.error instanceof Error ? outcome.error.name : "unknown";
      return { ok: false, status: 500, code: "agent_failed", message: `the agent failed (${name})` };
    }
    const runtimeMs = performance.now() - started;
    return { ok: true, body: agentReply(answer, { transcript, responseContract, runtimeMs }).body };
  } finally {
    scope.close();
  }
}
