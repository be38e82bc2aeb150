import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "../../base/json.js";
import { ContractViolation } from "../../guard/wrap/contract-violation.js";
import { WorkflowRefused } from "../../workflow/api/workflow-refused.js";
import { createTracer, type Tracer } from "../proxy/traces.js";
import { actingIn } from "./acting.js";
import type { AgentContext } from "./agent.js";
import { agentReply } from "./agent-reply.js";
import type { DispatchEnvelope } from "./dispatch-envelope.js";
import { openRunSessions } from "./open-run.js";
import { agentTimeMs, type CheckedRunOptions, reportError } from "./run-options.js";
import { RunScope } from "./run-scope.js";
import type { RunSessions } from "./run-session.js";
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

/** The parts of one run; none of them outlives it. */
interface LiveRun {
  readonly scope: RunScope;
  readonly transcript: Transcript;
  readonly tracer: Tracer;
}

function contextOf(
  { userInstruction, taskInput, history, run }: DispatchEnvelope,
  live: LiveRun,
  { root }: RunSessions,
): AgentContext {
  const { signal } = live.scope;
  const { trace } = live.tracer;
  return { userInstruction, taskInput, history, ...actingIn(root, live), trace, signal, run };
}

async function runAgent({ agent }: CheckedRunOptions, context: AgentContext, { scope }: LiveRun): Promise<Outcome> {
  const answered = (async (): Promise<Outcome> => {
    try {
      return { kind: "answered", answer: await agent(context) };
    } catch (error) {
      return { kind: "failed", error };
    }
  })();
  const stopped = scope.ended.then((): Outcome => ({ kind: "stopped" }));
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
      return refusalText(outcome.error);
  }
}

/** A refusal that the agent does not catch ends the run, but is not a fault of the endpoint. */
function refusalText(error: unknown): string | null {
  if (error instanceof ContractViolation)
    return `The run was stopped: a call was refused by its contract. ${error.message}`;
  return error instanceof WorkflowRefused ? `The run was stopped: its workflow refused it. ${error.message}` : null;
}

/** The sessions of a run; null if it ended before a slow store had opened them. Then they are closed when they are open. */
async function openedInTime(
  envelope: DispatchEnvelope,
  options: CheckedRunOptions,
  { scope, tracer }: LiveRun,
): Promise<RunSessions | null> {
  const opening = openRunSessions(envelope, options, tracer);
  const opened = await Promise.race([opening, scope.ended.then(() => null)]);
  if (opened !== null) return opened;
  opening.then((sessions) => sessions.close()).catch((cause: unknown) => reportError(options, cause, envelope.run));
  return null;
}

/** Opens the sessions of a run and lets the agent work in them. */
async function workedOn(envelope: DispatchEnvelope, options: CheckedRunOptions, live: LiveRun): Promise<Outcome> {
  let sessions: RunSessions | null;
  try {
    sessions = await openedInTime(envelope, options, live);
  } catch (error) {
    if (!(error instanceof WorkflowRefused)) throw error;
    return { kind: "failed", error };
  }
  if (sessions === null) return { kind: "stopped" };
  const outcome = await runAgent(options, contextOf(envelope, live, sessions), live);
  const closed = sessions.close().catch((cause: unknown) => reportError(options, cause, envelope.run));
  // What could not be closed in time stays as it is: the reply does not wait for it.
  await Promise.race([closed, setTimeout(FLUSH_MS, undefined, { ref: false })]);
  return outcome;
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
  const transcript = new Transcript(envelope.userInstruction);
  const left = agentTimeMs(options.runTimeoutSeconds) - (performance.now() - started);
  const scope = new RunScope(left, signal);
  try {
    const outcome = await workedOn(envelope, options, { scope, transcript, tracer });
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
