import { unreachable } from "../../base/invariant.js";
import type { Span } from "../../diagnostics/source.js";
import { quoted } from "../../diagnostics/wording.js";
import { valueSpan } from "../../language/located.js";
import type { Aggregate } from "../../language/schema/session.js";
import { aggregatesOf, type Bounds, boundsOf, contributionsTo, isSingle } from "../facts/aggregate-facts.js";
import type { Interval } from "../facts/possible-values.js";
import { defineRule } from "../rule.js";
import type { RuleContext } from "../rule-context.js";

type Params =
  | { readonly kind: "contradiction"; readonly name: string; readonly gte: number; readonly lte: number }
  | { readonly kind: "refusal"; readonly name: string; readonly bound: "gte" | "lte"; readonly value: number };

/** The values an aggregate may have with the first call, tool by tool; null where that is not certain. */
function firstValues(context: RuleContext, aggregate: Aggregate): readonly Interval[] | null {
  switch (aggregate.metric) {
    case "count":
      return [{ low: 1, high: 1 }];
    case "count_distinct":
      // Over all tools a call without the path adds nothing.
      if (aggregate.tool === "*") return null;
      return [{ low: 1, high: isSingle(aggregate) ? 1 : Number.POSITIVE_INFINITY }];
    case "sum":
    case "max":
    case "min":
      return contributionsTo(context, aggregate)?.map(({ values }) => values) ?? null;
    default:
      return unreachable(aggregate.metric);
  }
}

function failingBound({ low, high }: Interval, { gte, lte }: Bounds): "gte" | "lte" | null {
  if (gte !== null && high < gte) return "gte";
  return lte !== null && low > lte ? "lte" : null;
}

/** The bound that keeps out the first call of every tool under all bounds, and so every call. */
function refusingBound(context: RuleContext, aggregate: Aggregate): "gte" | "lte" | null {
  const values = firstValues(context, aggregate);
  const [first] = values ?? [];
  if (values === null || first === undefined) return null;
  const bounds = boundsOf(aggregate);
  // Only the outermost bounds matter, which keeps this linear where both lists are long.
  const widest: Bounds = {
    gte: bounds.some(({ gte }) => gte === null) ? null : least(bounds.flatMap(({ gte }) => gte ?? [])),
    lte: bounds.some(({ lte }) => lte === null)
      ? null
      : -least(bounds.flatMap(({ lte }) => (lte === null ? [] : -lte))),
    override: null,
  };
  const failing = values.map((interval) => failingBound(interval, widest));
  return failing.includes(null) ? null : (failing[0] ?? null);
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

function spanOfUpper(aggregate: Aggregate, { override }: Bounds): Span {
  if (override === null) return valueSpan(aggregate, "lte");
  return valueSpan(override, override.then_lte === undefined ? "then_gte" : "then_lte");
}

/** A bound that no call can keep refuses every call. */
export const unsatisfiableAggregate = defineRule<Params>({
  code: "unsatisfiable_aggregate",
  stage: "graph",
  severity: "warning",
  what: "No call can keep an aggregate within its bounds.",
  why: "The bounds are judged with every call, the first one included, so every call of its tools is refused.",
  mend: "Correct the bounds, or drop the tools that are not to be called.",
  message(params) {
    const name = quoted(params.name);
    if (params.kind === "contradiction") {
      return `no value of the aggregate ${name} is at least ${params.gte} and at most ${params.lte}`;
    }
    const where = params.bound === "gte" ? "below" : "above";
    return `the first call already leaves the aggregate ${name} ${where} ${params.value}, so every call is refused`;
  },
  help: ({ kind }) =>
    kind === "contradiction"
      ? "correct one of the two bounds"
      : "correct the bound, or drop the tools that are not to be called",
  check(context, report) {
    for (const aggregate of aggregatesOf(context)) {
      const { name } = aggregate;
      let isContradictory = false;
      for (const bounds of boundsOf(aggregate)) {
        const { gte, lte } = bounds;
        if (gte === null || lte === null || gte <= lte) continue;
        isContradictory = true;
        report(spanOfUpper(aggregate, bounds), { kind: "contradiction", name, gte, lte });
      }
      const bound = isContradictory ? null : refusingBound(context, aggregate);
      const value = bound === null ? undefined : aggregate[bound];
      if (bound === null || value === undefined) continue;
      report(valueSpan(aggregate, bound), { kind: "refusal", name, bound, value });
    }
  },
});
