import type { Json, JsonObject } from "../../base/json.js";
import type { Action } from "../trace/plan.js";

/** How sessions of a workflow begin and end. */
export type LifecycleAction =
  | { readonly kind: "start"; readonly session: string; readonly role: string }
  | { readonly kind: "handoff"; readonly session: string; readonly child: string; readonly role: string }
  | { readonly kind: "close"; readonly session: string };

/** One step of a planned run of a workflow. */
export type WorkflowAction =
  | LifecycleAction
  | { readonly kind: "act"; readonly session: string; readonly action: Action }
  /** A call that others make impossible. */
  | { readonly kind: "refused"; readonly session: string; readonly tool: string; readonly args: JsonObject }
  /** A call that waits for an approval while others go on. */
  | { readonly kind: "ask"; readonly session: string; readonly tool: string; readonly args: JsonObject }
  /** The approval is given, and the call is refused all the same. */
  | { readonly kind: "approve"; readonly session: string };

/** A run of a workflow to be replayed. */
export interface WorkflowPlan {
  readonly env: Readonly<Record<string, string>>;
  /** By session; one that is not named has none. */
  readonly principals: ReadonlyMap<string, Json | null>;
  readonly actions: readonly WorkflowAction[];
}
