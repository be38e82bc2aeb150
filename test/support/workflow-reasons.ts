import type { Reason } from "../../src/artifact/reasons.js";

const WHY = "only sessions of a workflow are refused so";

/** The reasons that a session without a workflow never gets; workflows have a reference of their own. */
export const WORKFLOW_REASONS = {
  workflow_killed: WHY,
  session_closed: WHY,
  cancel_requested: WHY,
  workflow_limit_exceeded: WHY,
  resource_unreadable: WHY,
  resource_conflict: WHY,
  handoff_required: WHY,
  handoff_not_declared: WHY,
  handoff_artifact_missing: WHY,
  handoff_artifact_invalid: WHY,
  session_exists: WHY,
  kill_not_permitted: WHY,
} as const satisfies Readonly<Partial<Record<Reason, string>>>;
