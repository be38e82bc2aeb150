import { unreachable } from "../../../base/invariant.js";
import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import type { Interval } from "../../../domain/every-member.js";
import { valueSpan } from "../../../language/located.js";
import type { Aggregate } from "../../../language/schema/session.js";
import {
  aggregatesOf,
  type Bounds,
  boundsOf,
  type Contribution,
  contributionsTo,
  isSingle,
} from "../../facts/aggregate-facts.js";
import { type Widest, widestOf } from "../../facts/aggregate-reach.js";
import { callOrder } from "../../facts/call-order.js";
import { landmarksOf } from "../../facts/landmarks.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule, type Report } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

type Bound = "gte" | "lte";

type Params =
  | { readonly kind: "contradiction"; readonly name: string; readonly gte: number; readonly lte: number }
  | { readonly kind: "refusal"; readonly name: string; readonly bound: Bound; readonly value: number }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly bound: Bound;
      readonly value: number;
      readonly tool: string;
    };

/** The values that a first call may give an aggregate. */
interface First {
  readonly values: Interval;
  /** Whether a call may be the first at all. */
  readonly isPossible: () => boolean;
}

/** What calls of the tools that can be called add; null where that is not certain. */
function callableContributions(context: RuleContext, aggregate: Aggregate): readonly Contribution[] | null {
  const isCalled = (tool: NamedTool) =>
    callOrder(context).isCallable(tool) && !landmarksOf(context).isNeverCalled(tool);
  return contributionsTo(context, aggregate)?.filter(({ tool }) => isCalled(tool)) ?? null;
}

/** The values with the first call, tool by tool; a tool that waits for another of them is not the first. */
function firstContributions(context: RuleContext, aggregate: Aggregate): readonly First[] {
  const contributions = callableContributions(context, aggregate) ?? [];
  const all = new Set(contributions.map(({ tool }) => tool));
  const before = (tool: NamedTool) => landmarksOf(context).ofTool(tool) ?? [];
  return contributions.map(({ tool, values }) => ({
    values,
    // With `per` what came before may have been for another value.
    isPossible: () => aggregate.per !== undefined || before(tool).every((other) => other === tool || !all.has(other)),
  }));
}

/** The values an aggregate may have with the first call; none where that is not certain. */
function firstValues(context: RuleContext, aggregate: Aggregate): readonly First[] {
  const isPossible = () => true;
  switch (aggregate.metric) {
    case "count":
      return [{ values: { low: 1, high: 1 }, isPossible }];
    case "count_distinct":
      // Over all tools a call without the path adds nothing.
      if (aggregate.tool === "*") return [];
      return [{ values: { low: 1, high: isSingle(aggregate) ? 1 : Number.POSITIVE_INFINITY }, isPossible }];
    case "sum":
    case "max":
    case "min":
      return firstContributions(context, aggregate);
    default:
      return unreachable(aggregate.metric);
  }
}

function failingBound({ low, high }: Interval, { gte, lte }: Widest): Bound | null {
  if (gte !== null && high < gte) return "gte";
  return lte !== null && low > lte ? "lte" : null;
}

/** The bound that refuses every possible first call, and so every call. */
function refusingBound(context: RuleContext, aggregate: Aggregate): Bound | null {
  // Only the outermost bounds matter, so this stays linear where both lists are long.
  const widest = widestOf(aggregate);
  let refusing: Bound | null = null;
  for (const { values, isPossible } of firstValues(context, aggregate)) {
    const bound = failingBound(values, widest);
    if (bound === null && isPossible()) return null;
    refusing ??= bound;
  }
  return refusing;
}

/** The bounds that a call may break for good: what others add cannot bring the value back. */
function lastingBounds({ metric }: Aggregate, contributions: readonly Contribution[]): ReadonlySet<Bound> {
  const isSum = metric === "sum";
  const lasting = new Set<Bound>();
  if (metric === "max" || (isSum && contributions.every(({ values }) => values.low >= 0))) lasting.add("lte");
  if (metric === "min" || (isSum && contributions.every(({ values }) => values.high <= 0))) lasting.add("gte");
  return lasting;
}

/** The tools whose every call is refused, while others may be called. */
function* refusedTools(
  context: RuleContext,
  aggregate: Aggregate,
): Generator<{ readonly tool: NamedTool; readonly bound: Bound }> {
  const contributions = callableContributions(context, aggregate) ?? [];
  const lasting = lastingBounds(aggregate, contributions);
  const widest = widestOf(aggregate);
  for (const { tool, values } of contributions) {
    const bound = failingBound(values, widest);
    if (bound !== null && lasting.has(bound)) yield { tool, bound };
  }
}

function spanOfUpper(aggregate: Aggregate, { override }: Bounds): Span {
  if (override === null) return valueSpan(aggregate, "lte");
  return valueSpan(override, override.then_lte === undefined ? "then_gte" : "then_lte");
}

function reportContradictions(aggregate: Aggregate, report: Report<Params>): boolean {
  let isContradictory = false;
  for (const bounds of boundsOf(aggregate)) {
    const { gte, lte } = bounds;
    if (gte === null || lte === null || gte <= lte) continue;
    isContradictory = true;
    report(spanOfUpper(aggregate, bounds), { kind: "contradiction", name: aggregate.name, gte, lte });
  }
  return isContradictory;
}

function reportRefusals(context: RuleContext, aggregate: Aggregate, report: Report<Params>): void {
  const { name } = aggregate;
  const bound = refusingBound(context, aggregate);
  const value = bound === null ? undefined : aggregate[bound];
  if (bound !== null && value !== undefined) {
    report(valueSpan(aggregate, bound), { kind: "refusal", name, bound, value });
    return;
  }
  for (const refused of refusedTools(context, aggregate)) {
    const limit = aggregate[refused.bound];
    if (limit === undefined) continue;
    const tool = refused.tool.name;
    report(valueSpan(aggregate, refused.bound), { kind: "tool", name, bound: refused.bound, value: limit, tool }, tool);
  }
}

/** A bound that no call can satisfy refuses every call. */
export const unsatisfiableAggregate = defineRule<Params>({
  code: "unsatisfiable_aggregate",
  stage: "graph",
  severity: "warning",
  what: "No call, or no call of one of its tools, can keep an aggregate within its bounds.",
  why: "The bounds are judged with every call, the first one included, so every such call is refused.",
  fix: "Correct the bounds, or drop the tools that are not to be called.",
  message(params) {
    const name = quoted(params.name);
    if (params.kind === "contradiction") {
      return `no value of the aggregate ${name} is at least ${params.gte} and at most ${params.lte}`;
    }
    const where = params.bound === "gte" ? "below" : "above";
    if (params.kind === "tool") {
      return `every call of ${quoted(params.tool)} is refused: it takes the aggregate ${name} ${where} ${params.value}`;
    }
    return `the first call already leaves the aggregate ${name} ${where} ${params.value}, so every call is refused`;
  },
  help: ({ kind }) =>
    kind === "contradiction"
      ? "correct one of the two bounds"
      : `correct the bound, or drop the ${kind === "tool" ? "tool" : "tools that are not to be called"}`,
  check(context, report) {
    for (const aggregate of aggregatesOf(context)) {
      if (!reportContradictions(aggregate, report)) reportRefusals(context, aggregate, report);
    }
  },
});
