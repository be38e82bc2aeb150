import type { JsonObject } from "../../base/json.js";
import type { ProxyCall } from "../../guard/wrap/call-options.js";
import type { Tracer } from "../proxy/traces.js";
import type { RunIds } from "./agent.js";
import type { CheckedRunOptions } from "./run-options.js";

/** What one agent of a run may do: its calls are guarded, and attributed to it. */
export interface RunSession {
  /** The path of the agent; null if calls are not attributed. */
  readonly actorId: string | null;
  /** Its role in the workflow; null without one. */
  readonly role: string | null;
  /** What the handoff to it brought. */
  readonly artifacts: JsonObject;
  readonly call: ProxyCall;
  /** Passes control to a sub-agent, and reports that to the platform. */
  handoff(payload: object): Promise<RunSession>;
  /** The agent is done. May be repeated. */
  close(): Promise<void>;
}

/** The parts of a run that its sessions share. */
export interface RunParts {
  readonly options: CheckedRunOptions;
  readonly run: RunIds;
  readonly proxyCall: ProxyCall;
  readonly tracer: Tracer;
}

/** The sessions of a run: that of its agent, and the end of all of them. */
export interface RunSessions {
  readonly root: RunSession;
  close(): Promise<void>;
}

/** Who is calling in a session of a run. */
export function principalOf(
  principal: NonNullable<CheckedRunOptions["principal"]>,
  run: RunIds,
  role: string | null,
): object {
  return typeof principal === "function" ? principal(run, role) : principal;
}
