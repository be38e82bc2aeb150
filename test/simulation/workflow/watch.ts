import type { CallText } from "../../differential/reference/history.js";
import type { View } from "../../workflow-reference/reference/view.js";
import { must } from "../violation.js";

/** Reasons that only the workflow gives; each must have been true while the operation was under way. */
const OF_WORKFLOW: ReadonlySet<string> = new Set([
  "workflow_killed",
  "session_killed",
  "session_closed",
  "cancel_requested",
  "workflow_limit_exceeded",
  "resource_conflict",
]);

/** What an operation may be refused for, from its call to its answer. */
export class Watch {
  private readonly seen = new Set<string>();

  constructor(private readonly reasons: () => readonly (string | null)[]) {
    this.look();
  }

  /** Something was recorded, so there may be other reasons now. */
  look(): void {
    for (const reason of this.reasons()) if (reason !== null) this.seen.add(reason);
  }

  /** The answer came. */
  answered(reason: string, what: string): void {
    if (!OF_WORKFLOW.has(reason)) return;
    must(this.seen.has(reason), "a refusal is justified", () => `${what}: ${reason}, not ${[...this.seen].join(", ")}`);
  }
}

/** Reasons to refuse a call. */
export function reasonsOfCall(view: View, session: string, call: CallText): Watch {
  return new Watch(() => [view.ended(session), view.callLimit(session), view.conflict(session, call)]);
}

/** Reasons to refuse a step. */
export function reasonsOfStep(view: View, session: string): Watch {
  return new Watch(() => [view.ended(session), view.stepLimit()]);
}

/** Reasons to refuse another session; `parent` is null for one that starts by itself. */
export function reasonsOfBeginning(view: View, parent: string | null): Watch {
  return new Watch(() => [
    view.state().killed ? "workflow_killed" : null,
    parent === null ? null : view.ended(parent),
    view.startLimit(parent !== null),
  ]);
}
