import { canonicalJson } from "../../base/canonical-json.js";
import type { Aggregate } from "../../language/schema/session.js";
import { lowerPath } from "../lower/lower-value.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { type Bounds, boundsOf, isSingle, toolsOf } from "./aggregate-facts.js";
import { argumentDemands } from "./argument-demands.js";
import { valuesIn } from "./possible-values.js";

/** The outermost of all bounds that may be in force; null where one of them sets no bound. */
export type Widest = Omit<Bounds, "override">;

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** The range that no value may leave, whichever bounds are in force. */
export function widestOf(aggregate: Aggregate): Widest {
  const all = boundsOf(aggregate);
  return {
    gte: all.some(({ gte }) => gte === null) ? null : least(all.flatMap(({ gte }) => gte ?? [])),
    lte: all.some(({ lte }) => lte === null) ? null : -least(all.flatMap(({ lte }) => (lte === null ? [] : -lte))),
  };
}

/** How many different values the counting calls of those tools may add in total; infinite where that is not certain. */
export function differentValues(
  context: RuleContext,
  aggregate: Aggregate,
  isCounted: (tool: NamedTool) => boolean,
): number {
  const tools = toolsOf(context, aggregate);
  if (tools === null || aggregate.path === undefined || !isSingle(aggregate)) return Number.POSITIVE_INFINITY;
  const path = lowerPath(aggregate.path).text;
  const different = new Set<string>();
  for (const tool of tools) {
    if (!isCounted(tool)) continue;
    const values = valuesIn(argumentDemands(context, tool).get(path) ?? []);
    if (values === null) return Number.POSITIVE_INFINITY;
    for (const value of values) different.add(canonicalJson(value));
  }
  return different.size;
}
