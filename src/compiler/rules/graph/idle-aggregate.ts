import { compare, type Decimal, decimalOf, plus, times } from "../../../base/decimal.js";
import { unreachable } from "../../../base/invariant.js";
import { counted, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import type { Aggregate } from "../../../language/schema/session.js";
import {
  aggregatesOf,
  boundsOf,
  type Contribution,
  contributionsTo,
  isSingle,
  toolsOf,
} from "../../facts/aggregate-facts.js";
import { differentValues } from "../../facts/aggregate-reach.js";
import { CallLimits } from "../../facts/call-limits.js";
import { lowerPath } from "../../lower/lower-value.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly name: string;
  readonly why: string;
}

/** The most that can be added: this many calls, each adding this much. */
interface Share {
  readonly calls: number;
  readonly most: number;
}

function product(calls: number, most: number): Decimal | null {
  if (calls === 0 || most <= 0) return decimalOf(0);
  return Number.isFinite(calls) && Number.isFinite(most) ? times(decimalOf(calls), decimalOf(most)) : null;
}

/** The largest possible sum, exactly; null without limit. */
function highestSum(shares: readonly Share[], total: number): Decimal | null {
  const most = shares.reduce((highest, share) => Math.max(highest, share.most), Number.NEGATIVE_INFINITY);
  // Where no call adds anything, the sum is highest with one call alone.
  if (most <= 0) return Number.isFinite(most) ? decimalOf(most) : null;
  let each: Decimal | null = decimalOf(0);
  for (const share of shares) {
    const part = product(share.calls, share.most);
    each = each === null || part === null ? null : plus(each, part);
  }
  const all = product(total, most);
  if (each === null || all === null) return each ?? all;
  return compare(each, all) < 0 ? each : all;
}

function isAtMost(highest: Decimal | null, bound: number): boolean {
  return highest !== null && compare(highest, decimalOf(bound)) <= 0;
}

/** Whether an upper and a lower bound always hold, and why. */
interface Reach {
  readonly why: string;
  readonly staysBelow: (lte: number) => boolean;
  readonly staysAbove: (gte: number) => boolean;
}

function reachOfSum(contributions: readonly Contribution[], limits: CallLimits): Reach {
  const total = limits.ofAll(contributions.map(({ tool }) => tool));
  const shares = (most: (contribution: Contribution) => number) =>
    contributions.map((contribution) => ({ calls: limits.of(contribution.tool), most: most(contribution) }));
  const highest = highestSum(
    shares(({ values }) => values.high),
    total,
  );
  const lowest = highestSum(
    shares(({ values }) => -values.low),
    total,
  );
  return {
    why: "the calls that are possible keep it there",
    staysBelow: (lte) => isAtMost(highest, lte),
    staysAbove: (gte) => isAtMost(lowest, -gte),
  };
}

function reachOfExtreme(contributions: readonly Contribution[]): Reach {
  return {
    why: "the accepted arguments keep it there",
    staysBelow: (lte) => contributions.every(({ values }) => values.high <= lte),
    staysAbove: (gte) => contributions.every(({ values }) => values.low >= gte),
  };
}

/** The most that an aggregate may count, and of what. */
function mostCounted(context: RuleContext, aggregate: Aggregate, limits: CallLimits): readonly [number, string] {
  const calls = limits.ofAll(toolsOf(context, aggregate));
  if (aggregate.metric === "count") return [calls, "call"];
  const values = differentValues(context, aggregate, (tool) => limits.of(tool) > 0);
  const most = isSingle(aggregate) ? calls : Number.POSITIVE_INFINITY;
  return values < most ? [values, "different value"] : [most, "call"];
}

function reachOfCount(context: RuleContext, aggregate: Aggregate, limits: CallLimits): Reach {
  const [most, noun] = mostCounted(context, aggregate, limits);
  // Over all tools a call without the path adds nothing.
  const least = aggregate.metric === "count" || toolsOf(context, aggregate) !== null ? 1 : 0;
  const hasUpper = boundsOf(aggregate).some(({ lte }) => lte !== null);
  const why = hasUpper
    ? `there ${most === 1 ? "is" : "are"} at most ${counted(most, noun)}`
    : "the first call is enough";
  return { why, staysBelow: (lte) => most <= lte, staysAbove: (gte) => least >= gte };
}

/** What the possible calls add, as limited by earlier rules; null where that is not certain. */
function possibleContributions(
  context: RuleContext,
  aggregate: Aggregate,
  limits: CallLimits,
): readonly Contribution[] | null {
  const path = aggregate.path === undefined ? "" : lowerPath(aggregate.path).text;
  const contributions = contributionsTo(context, aggregate)?.filter(({ tool }) => limits.of(tool) > 0);
  return contributions?.map((contribution) => limits.narrowed(contribution, path)) ?? null;
}

/** The possible values of an aggregate; null where that is not certain. */
function reachOf(context: RuleContext, aggregate: Aggregate, limits: CallLimits): Reach | null {
  const { metric } = aggregate;
  // It also refuses calls without a value to count apart.
  if (aggregate.per !== undefined) return null;
  // Where no call is possible, other rules report why.
  if (limits.ofAll(toolsOf(context, aggregate)) === 0) return null;
  if (metric === "count" || metric === "count_distinct") return reachOfCount(context, aggregate, limits);
  const contributions = possibleContributions(context, aggregate, limits);
  if (contributions === null) return null;
  switch (metric) {
    case "sum":
      return reachOfSum(contributions, limits);
    case "max":
    case "min":
      return reachOfExtreme(contributions);
    default:
      return unreachable(metric);
  }
}

function isIdle(aggregate: Aggregate, { staysBelow, staysAbove }: Reach): boolean {
  // An override may lift a bound by one that never binds, so only all bounds together make an aggregate idle.
  return boundsOf(aggregate).every(
    ({ gte, lte }) => (lte === null || staysBelow(lte)) && (gte === null || staysAbove(gte)),
  );
}

/** A bound that other rules already ensure never refuses a call. */
export const idleAggregate = defineRule<Params>({
  code: "idle_aggregate",
  stage: "graph",
  severity: "warning",
  what: "An aggregate can never leave its bounds, because call limits, argument checks or earlier aggregates are tighter.",
  why: "Its bounds refuse nothing, although a reader takes them for the limit.",
  fix: "Tighten the bound to what is meant, or drop the aggregate.",
  message: ({ name, why }) => `the aggregate ${quoted(name)} never leaves its bounds: ${why}`,
  help: () => "tighten the bound to what is meant, or drop the aggregate",
  check(context, report) {
    const limits = new CallLimits(context);
    for (const aggregate of aggregatesOf(context)) {
      const reach = reachOf(context, aggregate, limits);
      limits.add(aggregate);
      if (reach === null || !isIdle(aggregate, reach)) continue;
      report(valueSpan(aggregate, aggregate.lte === undefined ? "gte" : "lte"), {
        name: aggregate.name,
        why: reach.why,
      });
    }
  },
});
