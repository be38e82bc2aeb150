import { compare, type Decimal, decimalOf, numberOf, plus } from "../../base/decimal.js";
import type { Span } from "../../diagnostics/source.js";
import { valueSpan } from "../../language/located.js";
import type { Aggregate } from "../../language/schema/session.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { aggregatesOf, contributionsTo, toolsOf } from "./aggregate-facts.js";
import { widestOf } from "./aggregate-reach.js";
import { callNeeds, type Measured } from "./call-needs.js";
import { callOrder } from "./call-order.js";
import { landmarksOf } from "./landmarks.js";

/** Each aggregate takes a walk through the whole pack, so fewer of them are checked in a large pack. */
const MOST_WALKED = 40_000;

const ZERO = decimalOf(0);
const ONE = decimalOf(1);

/** Something limited that calls use up: calls, steps, the value of an aggregate. */
export interface Budget {
  readonly kind: "max_tool_calls" | "max_steps" | "aggregate";
  readonly name: string;
  readonly span: Span;
  readonly most: number;
  /** What a call of the tool takes by itself. */
  readonly alone: (tool: NamedTool) => Decimal;
  /** The least that a session has used once it called the tool or is in the phase; undefined where that cannot be. */
  readonly ofTool: (tool: NamedTool) => Decimal | undefined;
  readonly ofPhase: (phase: string) => Decimal | undefined;
}

function greater(a: Decimal, b: Decimal): Decimal {
  return compare(a, b) < 0 ? b : a;
}

function lesser(a: Decimal, b: Decimal): Decimal {
  return compare(a, b) < 0 ? a : b;
}

/** Whether the amount exceeds the budget. */
export function exceeds({ most }: Budget, used: Decimal): boolean {
  return compare(used, decimalOf(most)) > 0;
}

/** What calls use up, given the cost of each tool: along the cheapest path, and by the calls that every path contains. */
function used(context: RuleContext, alone: (tool: NamedTool) => Decimal): Pick<Budget, "ofTool" | "ofPhase"> {
  const cheapestPath: Measured<Decimal> | null = callNeeds(context).measure<Decimal>({
    start: ZERO,
    either: lesser,
    both: greater,
    call: (tool, before) => plus(before, alone(tool)),
    nextStep: (value) => value,
    isSame: (a, b) => compare(a, b) === 0,
  });
  const landmarks = landmarksOf(context);
  const needed = new Map<readonly NamedTool[], Decimal>();
  const inAll = (tools: readonly NamedTool[] = []) => {
    const sum = needed.get(tools) ?? tools.reduce((total, tool) => plus(total, alone(tool)), ZERO);
    needed.set(tools, sum);
    return sum;
  };
  return {
    ofTool(tool) {
      const cheapest = cheapestPath?.tools.get(tool);
      return cheapest === undefined ? undefined : greater(cheapest, inAll(landmarks.ofTool(tool)));
    },
    ofPhase(phase) {
      const cheapest = cheapestPath?.phases.get(phase);
      return cheapest === undefined ? undefined : greater(cheapest, inAll(landmarks.ofPhase(phase)));
    },
  };
}

function* callBudgets(context: RuleContext): Generator<Budget> {
  const limits = context.session?.session_limits;
  if (limits?.max_tool_calls === undefined) return;
  const alone = () => ONE;
  const { ofTool, ofPhase } = used(context, alone);
  const { distances } = callOrder(context);
  const name = "max_tool_calls";
  yield {
    kind: name,
    name,
    span: valueSpan(limits, name),
    most: limits.max_tool_calls,
    alone,
    ofTool,
    // The distances are known for packs of any size.
    ofPhase(phase) {
      const distance = distances.get(phase);
      return ofPhase(phase) ?? (distance === undefined ? undefined : decimalOf(distance));
    },
  };
}

/** A step may hold many calls, but a prior tool must have been called in an earlier one. */
function* stepBudgets(context: RuleContext): Generator<Budget> {
  const limits = context.session?.session_limits;
  if (limits?.max_steps === undefined) return;
  const completed = ({ contract }: NamedTool) =>
    (contract.preconditions ?? []).reduce((most, entry) => Math.max(most, entry.requires_step_count?.gte ?? 0), 0);
  const steps = callNeeds(context).measure<number>({
    start: 0,
    either: Math.min,
    both: Math.max,
    call: (tool, before) => Math.max(before, completed(tool) + 1),
    nextStep: (value) => value + 1,
    isSame: (a, b) => a === b,
  });
  const { distances } = callOrder(context);
  const decimal = (value: number | undefined) => (value === undefined ? undefined : decimalOf(value));
  const name = "max_steps";
  yield {
    kind: name,
    name,
    span: valueSpan(limits, name),
    most: limits.max_steps,
    alone: () => ONE,
    ofTool: (tool) => decimal(steps?.tools.get(tool)),
    ofPhase: (phase) => decimal(steps === null ? Math.min(1, distances.get(phase) ?? 0) : steps.phases.get(phase)),
  };
}

/** What a call of each tool adds at least to a sum or count that no call lowers; null where that is not certain. */
function leastAdded(context: RuleContext, aggregate: Aggregate): ReadonlyMap<NamedTool, Decimal> | null {
  if (aggregate.metric === "count")
    return new Map((toolsOf(context, aggregate) ?? context.tools).map((tool) => [tool, ONE]));
  if (aggregate.metric !== "sum") return null;
  const contributions = contributionsTo(context, aggregate);
  if (contributions === null || contributions.some(({ values }) => !(values.low >= 0))) return null;
  return new Map(contributions.map(({ tool, values }) => [tool, decimalOf(values.low)]));
}

function* aggregateBudgets(context: RuleContext): Generator<Budget> {
  const walks = Math.floor(MOST_WALKED / (1 + callNeeds(context).size));
  for (const aggregate of aggregatesOf(context).slice(0, walks)) {
    // The calls that are needed may each be for a value of their own.
    if (aggregate.per !== undefined) continue;
    const { lte } = widestOf(aggregate);
    const added = lte === null ? null : leastAdded(context, aggregate);
    if (lte === null || added === null) continue;
    const alone = (tool: NamedTool) => added.get(tool) ?? ZERO;
    // A tool that exceeds the budget by itself is reported by another rule.
    if ([...added.values()].some((least) => numberOf(least) > lte)) continue;
    yield {
      kind: "aggregate",
      name: aggregate.name,
      span: valueSpan(aggregate, "lte"),
      most: lte,
      alone,
      ...used(context, alone),
    };
  }
}

const known = new WeakMap<RuleContext, readonly Budget[]>();

/** Every budget of the sessions of a pack. */
export function budgetsOf(context: RuleContext): readonly Budget[] {
  const budgets = known.get(context) ?? [
    ...callBudgets(context),
    ...stepBudgets(context),
    ...aggregateBudgets(context),
  ];
  known.set(context, budgets);
  return budgets;
}

/** The terminal phase that uses the least of a budget; null where none is entered. */
export function nearestEnd(
  context: RuleContext,
  { ofPhase }: Budget,
): { readonly phase: string; readonly least: Decimal } | null {
  let nearest: { readonly phase: string; readonly least: Decimal } | null = null;
  for (const phase of context.graph().terminal) {
    const least = ofPhase(phase);
    if (least === undefined || (nearest !== null && compare(nearest.least, least) <= 0)) continue;
    nearest = { phase, least };
  }
  return nearest;
}
