/** What must have happened, so that a run without findings means something. */
export const EXPECTED: readonly string[] = [
  ...["openWorkflow", "start", "handoff", "attach", "propose", "settle", "approve", "beginStep"],
  ...["recordCost", "close", "state", "kill session", "kill subtree", "kill workflow"],
]
  .map((name) => `operation ${name}`)
  .concat(
    [
      ...["workflow_killed", "session_killed", "session_closed", "cancel_requested", "workflow_limit_exceeded"],
      ...["resource_conflict", "kill_not_permitted", "store_unavailable"],
    ].map((name) => `reason ${name}`),
    ["started", "closed", "killed", "subtree_killed", "workflow_killed"].map((name) => `happening ${name}`),
    ["a process crashes", "a process is frozen"].map((name) => `fault ${name}`),
  );
