import type { Json, JsonObject } from "../../base/json.js";
import type { StepVerdict, TraceStep } from "../trace/trace.js";

/** An event of a workflow; `session` is the one that acts. */
export type WorkflowStep =
  | { readonly kind: "start"; readonly session: string; readonly role: string }
  | { readonly kind: "handoff"; readonly session: string; readonly child: string; readonly role: string }
  | { readonly kind: "close"; readonly session: string }
  /** An event within a session. */
  | { readonly kind: "act"; readonly session: string; readonly step: TraceStep }
  /** A call that waits for an approval during the following steps. */
  | { readonly kind: "ask"; readonly session: string; readonly tool: string; readonly args: JsonObject }
  /** The approval of that call is given, and the call is decided anew. */
  | { readonly kind: "approve"; readonly session: string; readonly tool: string; readonly verdict: StepVerdict };

/** A session of a run. */
export interface TracedSession {
  readonly session: string;
  readonly role: string;
  readonly parent: string | null;
  readonly principal: Json | null;
}

/** A run of a workflow from its beginning, with concrete values. */
export interface WorkflowTrace {
  readonly env: Readonly<Record<string, string>>;
  readonly sessions: readonly TracedSession[];
  readonly steps: readonly WorkflowStep[];
}
