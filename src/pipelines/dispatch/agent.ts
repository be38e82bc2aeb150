import type { CallOptions } from "../../guard/wrap/call-options.js";

/** Which run this is; all of it may be logged. Null where the platform did not say. */
export interface RunIds {
  readonly runId: number | null;
  readonly taskId: number | null;
  readonly agentId: number | null;
  readonly jti: string | null;
}

/** What one tool call may set for itself. */
export interface ToolCallOptions extends CallOptions {
  /** The sub-agent that acts, e.g. `supervisor/refunds`. */
  readonly actorId?: string;
}

/** What an agent is given for one run. Nothing in it outlives the run or is shared with another. */
export interface AgentContext {
  readonly userInstruction: string;
  /** The state of the task's row; `{}` where there is none. */
  readonly taskInput: unknown;
  /** The conversation so far, where the platform sends one. */
  readonly history: readonly unknown[];
  /** Calls a tool through the proxy of the run, guarded; gives the unwrapped response. */
  readonly callTool: (tool: string, args: unknown, options?: ToolCallOptions) => Promise<unknown>;
  /** Tells the platform what the agent is doing; never fails the run. */
  readonly trace: (type: string, payload: object) => void;
  /** Tells the platform that control passes from one sub-agent to another. */
  readonly handoff: (payload: object) => void;
  /** Aborts when the run's time is over or nobody waits for it any more. */
  readonly signal: AbortSignal;
  readonly run: RunIds;
}

/** What an agent answers; the spellings of the wire are accepted too, and a text alone is the final response. */
export interface AgentAnswer {
  readonly finalResponse?: string;
  /** The reply to one turn; this, or `sessionDone`, makes the answer a turn's. */
  readonly message?: string;
  readonly sessionDone?: boolean;
  /** Its own transcript; without one, or with a malformed one, that of the calls made is sent. */
  readonly messages?: readonly object[];
  readonly metadata?: object;
  readonly [key: string]: unknown;
}

/** An agent: called once per run. */
export type Agent = (context: AgentContext) => Promise<AgentAnswer | string>;
