import type { CheckOf } from "../../artifact/compiled.js";
import { compareSum, sumNumber } from "../../base/exact-sum.js";
import { block } from "../decide/verdict.js";
import type { Run } from "../program/program.js";

/** Refuses a call that would exceed the number of steps; within an open step a call is not a step. */
export function maxSteps({ at, max }: CheckOf<"max_steps">): Run {
  return (_proposal, { openSteps, ownSteps }) =>
    openSteps > 0 || ownSteps < max
      ? null
      : block("session_limit_exceeded", at, `at most ${max} steps`, `${ownSteps} steps so far`);
}

/** Refuses a call once the session has reached its number of calls. */
export function maxToolCalls({ at, max }: CheckOf<"max_tool_calls">): Run {
  return (_proposal, { toolCalls }) =>
    toolCalls < max ? null : block("session_limit_exceeded", at, `at most ${max} tool calls`, `${toolCalls} so far`);
}

/** Refuses a call once the session has reached its number of calls of that tool. */
export function maxCallsPerTool({ at, max }: CheckOf<"max_calls_per_tool">): Run {
  return ({ tool: { name } }, { callsOf }) => {
    const calls = callsOf.get(name) ?? 0;
    if (calls < max) return null;
    return block("session_limit_exceeded", at, `at most ${max} calls of \`${name}\``, `${calls} so far`);
  };
}

/** Refuses a call once its step has reached its number of calls; a caller that opens no steps has one call a step. */
export function maxCallsPerStep({ at, max }: CheckOf<"max_calls_per_step">): Run {
  return (_proposal, { openSteps, stepCalls }) =>
    openSteps === 0 || stepCalls === null || stepCalls < max
      ? null
      : block("session_limit_exceeded", at, `at most ${max} calls in a step`, `${stepCalls} so far`, "further_step");
}

/** Refuses calls once the reported cost has reached the cap. */
export function maxCost({ at, max }: CheckOf<"max_cost">): Run {
  return (_proposal, { cost }) =>
    compareSum(cost, max) < 0
      ? null
      : block("session_limit_exceeded", at, `a cost below ${max}`, String(sumNumber(cost)));
}
