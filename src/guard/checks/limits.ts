import type { CheckOf } from "../../artifact/compiled.js";
import { compareSum, sumNumber } from "../../base/exact-sum.js";
import type { Proposal, Session } from "../session.js";
import { type Block, block } from "../verdict.js";

/** Refuses a call that would make one step too many; within an open step a call makes none. */
export function maxSteps(check: CheckOf<"max_steps">, session: Session): Block | null {
  if (session.openSteps > 0 || session.ownSteps < check.max) return null;
  return block("session_limit_exceeded", check.at, `at most ${check.max} steps`, `${session.ownSteps} steps so far`);
}

/** Refuses a call once the session has its number of calls. */
export function maxToolCalls(check: CheckOf<"max_tool_calls">, session: Session): Block | null {
  if (session.toolCalls < check.max) return null;
  return block("session_limit_exceeded", check.at, `at most ${check.max} tool calls`, `${session.toolCalls} so far`);
}

/** Refuses a call once the session has its number of calls of that tool. */
export function maxCallsPerTool(
  check: CheckOf<"max_calls_per_tool">,
  { tool }: Proposal,
  session: Session,
): Block | null {
  const calls = session.callsOf.get(tool.name) ?? 0;
  if (calls < check.max) return null;
  return block("session_limit_exceeded", check.at, `at most ${check.max} calls of \`${tool.name}\``, `${calls} so far`);
}

/** Refuses calls once the reported cost has reached the cap. */
export function maxCost(check: CheckOf<"max_cost">, session: Session): Block | null {
  if (compareSum(session.cost, check.max) < 0) return null;
  return block("session_limit_exceeded", check.at, `a cost below ${check.max}`, String(sumNumber(session.cost)));
}
