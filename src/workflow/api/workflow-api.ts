import type { JsonObject } from "../../base/json.js";
import type { DurableStore } from "../../guard/durable-store.js";
import type { Guard } from "../../guard/guard-api.js";
import type { GuardOptions } from "../../guard/public.js";
import type { ResourceMode } from "../rules/workflow-rules.js";
import type { KillScope, ResourceKey } from "../state/workflow-event.js";
import type { SessionStatus } from "../state/workflow-state.js";

/** Where a workflow is kept, and what all its sessions have in common. */
export interface WorkflowOptions
  extends Pick<
    GuardOptions,
    "storeArguments" | "seal" | "open" | "clock" | "env" | "storeTimeoutMs" | "settleTimeoutMs"
  > {
  /** A store of `contract-guard/stores`. */
  readonly store: DurableStore;
  /** Names the workflow in the store; whoever opens the same one shares its sessions. A new one by default. */
  readonly workflowId?: string;
}

/** The options of the guard of one session. */
export type SessionOptions = Pick<
  GuardOptions,
  "sessionId" | "principal" | "approver" | "mode" | "unmatched" | "requester" | "approvals" | "resolver"
>;

/** The options of a handoff: also what it brings, by name. */
export interface HandoffOptions extends SessionOptions {
  readonly artifacts?: Readonly<Record<string, unknown>>;
}

/** Whom a kill ends, and why. */
export interface Kill {
  readonly scope: KillScope;
  /** The session, or the root of the subtree; not for the whole workflow. */
  readonly session?: string;
  readonly why: string;
  /** Who has the authority, as the host vouches for: never from the arguments of a model. */
  readonly operator?: string;
}

/** A session in the state of a workflow. */
export interface SessionEntry {
  readonly id: string;
  readonly role: string;
  /** The session that handed off to it; null for a root, and for a child that its parent abandoned. */
  readonly parent: string | null;
  readonly status: SessionStatus;
  readonly steps: number;
  readonly cost: number;
}

/** A session that makes mutating calls of all others on a resource conflict. */
export interface HeldResource {
  readonly alias: string;
  readonly key: ResourceKey;
  readonly mode: ResourceMode;
  readonly session: string;
}

/** A workflow as of now. */
export interface WorkflowView {
  readonly killed: boolean;
  /** All that ever started, the oldest first. */
  readonly sessions: readonly SessionEntry[];
  readonly openHandoffs: number;
  readonly totals: {
    readonly sessions: number;
    readonly active: number;
    readonly steps: number;
    readonly cost: number;
  };
  readonly resources: readonly HeldResource[];
}

/** One session of a workflow, with its guard. */
export interface WorkflowSession {
  readonly id: string;
  readonly role: string;
  /** The session that handed off to it; null for a root, and for a child that its parent abandoned. */
  readonly parent: string | null;
  /** What the handoff brought. */
  readonly artifacts: JsonObject;
  readonly guard: Guard;
  /** Starts a session of another role with what it needs to know. Throws WorkflowRefused. */
  handoff(role: string, options?: HandoffOptions): Promise<WorkflowSession>;
  /** Ends the session. Calls that are running may still be settled. May be repeated. */
  close(): Promise<void>;
}

/** Several sessions under one contract, in this process and in others. */
export interface Workflow {
  readonly id: string;
  readonly artifactHash: string;
  /** Starts a session of a role that needs no handoff. Throws WorkflowRefused. */
  start(role: string, options?: SessionOptions): Promise<WorkflowSession>;
  /** A session that was started before, in whatever process. */
  attach(sessionId: string, options?: Omit<SessionOptions, "sessionId">): Promise<WorkflowSession>;
  /** Ends sessions for ever. Throws WorkflowRefused. */
  kill(kill: Kill): Promise<void>;
  /** Everything that concerns more than one session, as of now. */
  state(): Promise<WorkflowView>;
}
