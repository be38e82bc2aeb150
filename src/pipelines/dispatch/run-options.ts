import type { Artifact } from "../../artifact/compiled.js";
import { foreignErrorName } from "../../base/foreign-value.js";
import type { Clock, GuardOptions } from "../../guard/public.js";
import { packOf, trustedArtifact } from "../../guard/resolved-options.js";
import { checkSetting, type ProxyCallSetting, type RetryPolicy, type ThrottleLimit } from "../proxy/proxy-options.js";
import { demandResponseContract, type ResponseContract } from "../response/response-config.js";
import type { Agent, RunIds } from "./agent.js";
import { type CheckedWorkflow, checkedWorkflow } from "./workflow-options.js";

/** The options of an agent's runs, in dispatch and code mode. */
export interface RunOptions {
  readonly agent: Agent;
  /** The compiled contracts; with "none" calls are proxied without being checked, and a warning says so once. */
  readonly artifact: Artifact | null | "none";
  /** The proxies that calls may go to, such as `https://proxy.example`: a run with another one is refused. */
  readonly allowedProxyOrigins?: readonly string[];
  /** Who is calling: the same in every run, or a function of the run and, in a workflow, of the role. */
  readonly principal?: object | ((run: RunIds, role: string | null) => object);
  readonly approver?: GuardOptions["approver"];
  /** The session of the guard that a run belongs to, for stores that outlive a run; a new one each by default. */
  readonly sessionId?: (run: RunIds) => string;
  /** With a workflow: the role of the agent itself, unless only one role starts without a handoff. */
  readonly role?: string;
  /** With a workflow: the workflow that a run belongs to, for stores that outlive a run; a new one each by default. */
  readonly workflowId?: (run: RunIds) => string;
  /** Further options of the guard. */
  readonly guard?: Pick<GuardOptions, "mode" | "unmatched" | "store" | "storeTimeoutMs" | "settleTimeoutMs" | "env">;
  readonly responseContract?: ResponseContract | null;
  /** How long a run may take, reply included; 300 by default, at most 1800. */
  readonly runTimeoutSeconds?: number;
  /** When calls without a contract are retried; those with one follow it. */
  readonly retry?: RetryPolicy | false;
  /** Time for one call; contracts have their own. */
  readonly timeoutMs?: number;
  readonly throttle?: ThrottleLimit | false;
  readonly clock?: Clock;
  /** Called when an agent failed, with the error itself: it may hold anything, so it is passed to nothing else. */
  readonly onError?: (error: unknown, run: RunIds) => unknown;
}

type ClientOptions = Pick<ProxyCallSetting, "retry" | "timeoutMs" | "throttle">;

/** Options of runs, checked and with their defaults. */
export interface CheckedRunOptions extends Omit<RunOptions, "artifact" | "allowedProxyOrigins"> {
  readonly artifact: Artifact | null;
  /** Null if the artifact has no workflow. */
  readonly workflow: CheckedWorkflow | null;
  readonly allowedOrigins: ReadonlySet<string> | null;
  readonly responseContract: ResponseContract | null;
  readonly runTimeoutSeconds: number;
  readonly clock: Clock;
}

const LONGEST_SECONDS = 1800;
const DEFAULT_SECONDS = 300;

/** The options that runs pass to the client of their proxy. */
export function clientOptions({ retry, timeoutMs, throttle }: RunOptions): ClientOptions {
  return {
    ...(retry === undefined ? {} : { retry }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(throttle === undefined ? {} : { throttle }),
  };
}

/** Checks the options before the first run; the guard and the client check the rest. */
export function checkRunOptions(options: RunOptions): CheckedRunOptions {
  const { agent, artifact, runTimeoutSeconds = DEFAULT_SECONDS, clock = { now: () => Date.now() } } = options;
  if (typeof agent !== "function") throw new TypeError("`agent` must be a function");
  if (!(runTimeoutSeconds > 0 && runTimeoutSeconds <= LONGEST_SECONDS)) {
    throw new TypeError(`\`runTimeoutSeconds\` must be a number above 0, at most ${LONGEST_SECONDS}`);
  }
  const responseContract = demandResponseContract(options.responseContract);
  // A client that could not work would fail every run: better not to start.
  checkSetting({ proxyUrl: "http://localhost", runToken: "none", clock, ...clientOptions(options) });
  const { artifact: _, allowedProxyOrigins: origins, ...others } = options;
  const allowedOrigins = origins === undefined ? null : checkOrigins(origins);
  const checked = checkedArtifact(artifact);
  const { role, workflowId, guard } = options;
  return {
    ...others,
    artifact: checked,
    workflow: checkedWorkflow(checked, { role, workflowId, store: guard?.store }),
    allowedOrigins,
    responseContract,
    runTimeoutSeconds,
    clock,
  };
}

/** Null if calls are not checked, which must be explicit: a missing artifact would go unnoticed. */
function checkedArtifact(artifact: RunOptions["artifact"] | undefined): Artifact | null {
  if (artifact === undefined) {
    throw new TypeError('`artifact` is missing; `artifact: "none"` proxies tool calls without checking them');
  }
  if (artifact !== "none") {
    const trusted = trustedArtifact(artifact);
    // Errors that would prevent every run are reported at once.
    if (trusted.workflow === null) packOf(trusted, undefined);
    return trusted;
  }
  process.emitWarning("no artifact was given: tool calls are proxied without being checked", {
    code: "CONTRACT_GUARD_UNGUARDED",
  });
  return null;
}

function checkOrigins(origins: unknown): ReadonlySet<string> {
  const originOf = (text: unknown) => {
    const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : null;
    const isOrigin =
      url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && !url.host.includes("*");
    if (!isOrigin)
      throw new TypeError("`allowedProxyOrigins` must be a list of origins such as `https://proxy.example`");
    return url.origin;
  };
  if (!Array.isArray(origins) || origins.length === 0) {
    throw new TypeError("`allowedProxyOrigins` must be a list of at least one origin such as `https://proxy.example`");
  }
  return new Set(origins.map(originOf));
}

function warnOfListener(cause: unknown): void {
  process.emitWarning(`\`onError\` failed: ${foreignErrorName(cause)}`);
}

/** Reports an error; a listener that fails changes nothing. */
export function reportError({ onError }: RunOptions, error: unknown, run: RunIds): void {
  try {
    const answer: unknown = onError?.(error, run);
    // Wrapped in a promise of ours: a rejection must not end the process.
    if (typeof answer === "object" && answer !== null) new Promise((resolve) => resolve(answer)).catch(warnOfListener);
  } catch (cause) {
    warnOfListener(cause);
  }
}

/** The milliseconds an agent has: the reply leaves before the platform stops waiting for it. */
export function agentTimeMs(runTimeoutSeconds: number): number {
  const whole = runTimeoutSeconds * 1000;
  const margin = Math.min(Math.max(whole * 0.05, 250), 2000);
  return Math.max(whole - margin, 0);
}
