import type { JsonObject } from "../../base/json.js";
import type { CallOptions } from "../../guard/wrap/call-options.js";

/** The ids of a run; all of them may be logged. Null if the platform sent none. */
export interface RunIds {
  readonly runId: number | null;
  readonly taskId: number | null;
  readonly agentId: number | null;
  readonly jti: string | null;
}

/** The options of one tool call. */
export interface ToolCallOptions extends CallOptions {
  /** The sub-agent that acts, e.g. `supervisor/refunds`. */
  readonly actorId?: string;
}

/** What every agent of a run can do, the first one and those that it hands off to. */
export interface Acting {
  /** Calls a tool through the proxy of the run, guarded; returns the unwrapped response. */
  readonly callTool: (tool: string, args: unknown, options?: ToolCallOptions) => Promise<unknown>;
  /**
   * Passes control to a sub-agent, and reports that to the platform. Without a workflow it shares the session of the run. With one
   * it gets a session of its own: `to` names it, `role` its role if that is not the last name of the path, `artifacts` what it is
   * given; throws WorkflowRefused.
   */
  readonly handoff: (payload: object) => Promise<SubAgent>;
}

/** An agent that another one has handed off to. */
export interface SubAgent extends Acting {
  /** Its path, which its calls are attributed to; null if the handoff named none. */
  readonly actorId: string | null;
  /** Its role in the workflow; null without one. */
  readonly role: string | null;
  /** What the handoff brought; `{}` without a workflow. */
  readonly artifacts: JsonObject;
  /** Ends its session, where it has one of its own. Otherwise it ends with the run. */
  readonly close: () => Promise<void>;
}

/** What an agent gets for one run. Nothing in it outlives the run or is shared with another. */
export interface AgentContext extends Acting {
  readonly userInstruction: string;
  /** The state of the task's row; `{}` if there is none. */
  readonly taskInput: unknown;
  /** The conversation so far, if the platform sends one. */
  readonly history: readonly unknown[];
  /** Reports to the platform what the agent is doing; never fails the run. */
  readonly trace: (type: string, payload: object) => void;
  /** Aborts when the run times out or the caller disconnected. */
  readonly signal: AbortSignal;
  readonly run: RunIds;
}

/** The answer of an agent; the names of the wire are accepted too, and a text alone is the final response. */
export interface AgentAnswer {
  readonly finalResponse?: string;
  /** The reply to one turn; this, or `sessionDone`, makes the answer that of a turn. */
  readonly message?: string;
  readonly sessionDone?: boolean;
  /** The agent's own transcript; without a valid one, the recorded calls are sent. */
  readonly messages?: readonly object[];
  readonly metadata?: object;
  readonly [key: string]: unknown;
}

/** An agent: called once per run. */
export type Agent = (context: AgentContext) => Promise<AgentAnswer | string>;
