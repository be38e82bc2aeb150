import { sessionAdditions } from "./additions.js";
import type { Check, Result, Situation } from "./check.js";
import { plainCheck } from "./check.js";
import { decimal, isAtMost, sum } from "./decimal.js";
import { costsOf, currentStep, type Event, explicitSteps } from "./history.js";
import { isSame } from "./json.js";
import type { World } from "./worlds.js";

/** Steps so far in a world: opened ones, and own steps of counted calls. */
export function stepsIn(events: readonly Event[], world: Pick<World, "counted">): number {
  return explicitSteps(events) + world.counted.filter(({ step }) => step === "own").length;
}

function judgeSteps(situation: Situation, max: number, world: World): Result {
  // A call inside an open step makes no further one.
  if (currentStep(situation.events) !== "own") return "pass";
  return stepsIn(situation.events, world) + 1 <= max ? "pass" : "session_limit_exceeded";
}

/** Without opened steps each call is a step of its own, so that no step has too many. */
function judgeCallsOfStep({ events }: Situation, max: number, world: World): Result {
  const now = currentStep(events);
  if (now === "own") return "pass";
  const own = world.counted.filter(({ step }) => step === now);
  return own.length + 1 <= max ? "pass" : "session_limit_exceeded";
}

function limit(judge: (world: World) => Result): Check {
  return { reasons: ["session_limit_exceeded"], hides: true, judge };
}

/** How many calls equal to this one stand among the last `window - 1` allowed proposals, whatever became of them. */
function repetitions({ calls, tool, args }: Situation, window: number): number {
  const before = calls.all.slice(Math.max(0, calls.all.length - (window - 1)));
  return before.filter((call) => call.tool === tool && isSame(call.args, args)).length;
}

/** Checks 8 and 9; the cap on all calls hides tools in mode `narrow` only. */
export function* limitChecks(situation: Situation): Generator<Check> {
  const limits = situation.pack.session?.session_limits;
  if (limits === undefined) return;
  const { max_steps: steps, max_tool_calls: calls, max_cost_per_session: cost, loop_detection: loop } = limits;
  if (steps !== undefined) yield limit((world) => judgeSteps(situation, steps, world));
  if (calls !== undefined) {
    const judge = (world: World): Result => (world.counted.length + 1 <= calls ? "pass" : "session_limit_exceeded");
    yield { ...limit(judge), hides: limits.max_tool_calls_mode === "narrow" };
  }
  const perTool = new Map(Object.entries(limits.max_calls_per_tool ?? {})).get(situation.tool);
  if (perTool !== undefined) {
    yield limit((world) => {
      const own = world.counted.filter(({ tool }) => tool === situation.tool);
      return own.length + 1 <= perTool ? "pass" : "session_limit_exceeded";
    });
  }
  const perStep = sessionAdditions(situation.pack.session).session_limits?.max_calls_per_step;
  // The tools that are offered are those of the next step.
  if (perStep !== undefined) {
    yield { ...limit((world) => judgeCallsOfStep(situation, perStep, world)), hides: false };
  }
  if (cost !== undefined) {
    const reached = isAtMost(decimal(cost), sum(costsOf(situation.events)));
    yield plainCheck("session_limit_exceeded", true, () => !reached);
  }
  if (loop !== undefined) {
    yield plainCheck("loop_detected", false, () => repetitions(situation, loop.window) < loop.threshold - 1);
  }
}
