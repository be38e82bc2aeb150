import type { Reason } from "../../../src/artifact/reasons.js";
import type { WorkflowContract } from "../../../src/language/schema/workflow.js";
import { decimal, isAtMost, sum, toNumber } from "../../differential/reference/decimal.js";
import { isLive, type Session } from "./sessions.js";

type Limits = NonNullable<WorkflowContract["workflow_limits"]>;

/** What the limits of a workflow count. */
export interface Counts {
  readonly sessions: readonly Session[];
  readonly steps: number;
  readonly costs: readonly number[];
}

/** Children that are neither closed nor killed; one that was abandoned is a child no more. */
export function openHandoffs(sessions: readonly Session[]): number {
  return sessions.filter((session) => isLive(session) && session.parent !== null).length;
}

function isBeyond(count: number, most: number | undefined): boolean {
  return most !== undefined && count > most;
}

/** Why no further session may begin: the new one counts. */
export function startLimit(limits: Limits, { sessions }: Counts, isHandoff: boolean): Reason | null {
  const isRefused =
    isBeyond(sessions.length + 1, limits.max_sessions) ||
    isBeyond(sessions.filter(isLive).length + 1, limits.max_active_sessions) ||
    (isHandoff && isBeyond(openHandoffs(sessions) + 1, limits.max_open_handoffs));
  return isRefused ? "workflow_limit_exceeded" : null;
}

/** Why no further call or step may begin, where it makes `more` steps; cost at the cap refuses too. */
export function workLimit(limits: Limits, { steps, costs }: Counts, more: number): Reason | null {
  const { max_total_steps: mostSteps, max_total_cost: mostCost } = limits;
  const isSpent = mostCost !== undefined && isAtMost(decimal(mostCost), sum(costs));
  return isBeyond(more === 0 ? 0 : steps + more, mostSteps) || isSpent ? "workflow_limit_exceeded" : null;
}

export function totalCost({ costs }: Counts): number {
  return toNumber(sum(costs));
}
