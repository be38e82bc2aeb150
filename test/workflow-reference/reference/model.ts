import type { Reason } from "../../../src/artifact/reasons.js";
import type { Json } from "../../../src/base/json.js";
import type { WorkflowContract } from "../../../src/language/schema/workflow.js";
import type { Pack } from "../../differential/reference/model.js";

/** A workflow as it is written, before any compiling: workflow.yaml and the pack of each role. */
export interface WorkflowPack {
  readonly workflow: WorkflowContract;
  readonly packs: ReadonlyMap<string, Pack>;
}

export type Status = "active" | "cancel_requested" | "closed" | "killed";
export type ClosePolicy = "request_cancel" | "terminate" | "abandon";
export type ResourceMode = "single_writer" | "exclusive_pending" | "serial_only";
export type Scope = "session" | "subtree" | "workflow";

/** Everything that ever happens to the sessions of a workflow as a whole; their calls are in their own histories. */
export type Happening =
  | {
      readonly kind: "started";
      readonly session: string;
      readonly role: string;
      readonly parent: string | null;
      /** What becomes of it when its parent ends. */
      readonly policy: ClosePolicy;
    }
  | { readonly kind: "closed"; readonly session: string }
  | { readonly kind: "killed"; readonly session: string }
  | { readonly kind: "subtree_killed"; readonly session: string }
  | { readonly kind: "workflow_killed" }
  | { readonly kind: "kill_refused"; readonly scope: Scope };

/** What an operation on the workflow is answered with. */
export type Answered = { readonly kind: "allow" } | { readonly kind: "block"; readonly reason: Reason };

export const DONE: Answered = { kind: "allow" };

export function refused(reason: Reason): Answered {
  return { kind: "block", reason };
}

export interface Kill {
  readonly scope: unknown;
  readonly session?: string;
  readonly operator?: string;
}

/** Somebody who makes another session's mutating call conflict now. */
export interface Holding {
  readonly alias: string;
  readonly key: Json;
  readonly mode: ResourceMode;
  readonly session: string;
}

export interface WorkflowState {
  readonly killed: boolean;
  readonly sessions: readonly {
    readonly id: string;
    readonly role: string;
    readonly parent: string | null;
    readonly status: Status;
    readonly steps: number;
    readonly cost: number;
  }[];
  readonly openHandoffs: number;
  readonly totals: {
    readonly sessions: number;
    readonly active: number;
    readonly steps: number;
    readonly cost: number;
  };
  readonly resources: readonly Holding[];
}
