import type { Place } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import type { Bounds, ClaimResult } from "../verification.js";
import type { WorkflowTrace } from "./workflow-trace.js";

/** Whether a claim about roles holds. */
export interface RoleClaimResult extends Omit<ClaimResult, "trace" | "rules"> {
  /** A run that breaks it. */
  readonly trace: WorkflowTrace | null;
}

/** A shared resource: the alias and the key that calls name it by, as text. */
export interface NamedResource {
  readonly alias: string;
  readonly key: string;
}

/** A session that cannot finish while the others of a deadlock go on. */
export interface WaitingSession {
  readonly session: string;
  readonly role: string;
  readonly holds: readonly NamedResource[];
  /** The call that it would make next, and what of it another session holds. */
  readonly wants: { readonly tool: string; readonly args: Json; readonly resources: readonly NamedResource[] };
}

/** Sessions that wait for each other: none of them can finish before another one ends. */
export interface DeadlockResult {
  /** Whether that is proved; otherwise no call was found by which one of them could still finish. */
  readonly isProved: boolean;
  /** The entry of a shared resource that they wait for. */
  readonly at: Place;
  readonly sessions: readonly WaitingSession[];
  /** At its end each of them proposes a call that is refused. */
  readonly trace: WorkflowTrace;
}

/** The results for a workflow. */
export interface WorkflowVerification {
  /** Its name. */
  readonly workflow: string;
  readonly bounds: Bounds & {
    /** The largest number of sessions of one role in a run, but for claims that count more. */
    readonly sessions: number;
  };
  readonly claims: readonly RoleClaimResult[];
  readonly deadlocks: readonly DeadlockResult[];
}
