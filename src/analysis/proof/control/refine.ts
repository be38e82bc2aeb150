import type { ControlModel, Judged } from "./control-model.js";
import type { Happening, View } from "./control-steps.js";
import { type Counter, exceeds } from "./counters.js";
import type { Goal } from "./goal.js";

/** The smallest view: what the goal itself names. */
export function firstView(model: ControlModel, goal: Goal): View {
  const others = "other" in goal ? [goal.other] : [];
  const view = { tools: [...new Set([goal.tool, ...others])], hasPhases: false, counters: [] };
  return goal.kind === "phase_refuses" ? withPhases(model, view) : view;
}

/** Everything that changes phases comes with them: a phase is known exactly, or not at all. */
function withPhases(model: ControlModel, view: View): View {
  const moving = model.pack.tools.filter(
    ({ name, advances_to: next }) => next !== null && !model.control(name).isNever,
  );
  return { ...view, hasPhases: true, tools: [...new Set([...view.tools, ...moving.map(({ name }) => name)])] };
}

/** A call of the sequence, or the one that breaks the goal. */
interface Step {
  readonly tool: string;
  readonly judged: Judged;
  /** What happened before. */
  readonly before: readonly Happening[];
}

/**
 * A view with what shows that a sequence which the view allows is none of the guard's: tools that it needs first, then phases,
 * then a counter that it exceeds. Null if nothing that is known forbids it.
 */
export function refined(model: ControlModel, goal: Goal, view: View, happenings: readonly Happening[]): View | null {
  const steps = stepsOf(model, goal, happenings);
  const missing = steps.flatMap((step) => missingTools(model, view, step));
  if (missing.length > 0) return { ...view, tools: [...new Set([...view.tools, ...missing])] };
  if (!view.hasPhases && model.pack.phases !== null && isPhaseLost(model, goal, happenings))
    return withPhases(model, view);
  const counter = model.counters.find(
    (each) => !view.counters.includes(each) && steps.some((step) => isExceeded(each, goal, step)),
  );
  return counter === undefined ? null : { ...view, counters: [...view.counters, counter] };
}

function stepsOf(model: ControlModel, goal: Goal, happenings: readonly Happening[]): readonly Step[] {
  const calls = happenings.flatMap(({ kind, tool }, at): readonly Step[] =>
    kind === "allowed" ? [{ tool, judged: model.control(tool).judged, before: happenings.slice(0, at) }] : [],
  );
  const { tool } = model.control(goal.tool);
  const last = goal.kind === "never" ? goal.calls.map((further) => model.judgedOf({ tool, further })) : [];
  const broken = last.length === 0 ? [model.control(goal.tool).judged] : last;
  return [...calls, ...broken.map((judged) => ({ tool: goal.tool, judged, before: happenings }))];
}

/** The tools that a call needs and that the view leaves out, where the sequence has none of them. */
function missingTools(model: ControlModel, view: View, { judged, before }: Step): readonly string[] {
  return judged.needs.flatMap(({ isCommitted, tools }) => {
    const isMet = before.some(({ kind, tool }) => {
      const isAtOnce = model.control(tool).tool.commits === "at_dispatch";
      return tools.includes(tool) && (!isCommitted || kind === "committed" || isAtOnce);
    });
    return isMet ? [] : tools.filter((name) => !view.tools.includes(name) && !model.control(name).isNever);
  });
}

/** Whether some call comes in a phase in which it is not valid. */
function isPhaseLost(model: ControlModel, goal: Goal, happenings: readonly Happening[]): boolean {
  let phase = model.pack.phases?.initial ?? "";
  const open = new Set<string>();
  const isLegal = (name: string) => {
    const { tool } = model.control(name);
    const later = [...open].flatMap((other) => model.control(other).tool.advances_to ?? []);
    return [phase, ...later].every((each) => model.paths.isOpen(tool, each));
  };
  for (const { kind, tool: name } of happenings) {
    const { tool } = model.control(name);
    const isAtOnce = tool.commits === "at_dispatch";
    if (kind === "allowed") {
      if (!isLegal(name)) return true;
      if (!isAtOnce) open.add(name);
    }
    if ((kind === "committed" || isAtOnce) && tool.advances_to !== null) phase = tool.advances_to;
  }
  // The sequence may stand for many calls of one tool at a time.
  return goal.kind === "at_most" ? [...open].some((name) => !isLegal(name)) : !isLegal(goal.tool);
}

/** Whether a counter would refuse the call after what came before. */
function isExceeded(counter: Counter, goal: Goal, { tool, judged, before }: Step): boolean {
  const added = judged.adds.get(counter);
  if (added === undefined) return false;
  const isLast = goal.tool === tool && goal.kind === "at_most" && counter.weights.has(tool);
  const calls = new Map<string, { allowed: number; ended: number }>();
  for (const { kind, tool: name } of before) {
    const own = calls.get(name) ?? { allowed: 0, ended: 0 };
    calls.set(name, kind === "allowed" ? { ...own, allowed: own.allowed + 1 } : { ...own, ended: own.ended + 1 });
  }
  let sum = added;
  for (const [name, { allowed, ended }] of calls) sum += (counter.weights.get(name) ?? 0) * Math.max(allowed, ended);
  return isLast || exceeds(sum, counter.most);
}
