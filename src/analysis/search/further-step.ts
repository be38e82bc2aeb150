import type { Program } from "../../guard/program/program.js";
import type { Session } from "../../guard/session/session.js";

/** Whether a guard lets a further step begin: it refuses one beyond the limit of steps. */
export function mayBeginStep({ pack }: Program, { openSteps, ownSteps }: Session): boolean {
  const limit = pack.unmatched_checks.find(({ kind }) => kind === "max_steps");
  return limit?.kind !== "max_steps" || openSteps + ownSteps < limit.max;
}
