import { numberOf } from "../../../base/decimal.js";
import { counted, quoted } from "../../../diagnostics/wording.js";
import { type Budget, budgetsOf, exceeds, nearestEnd } from "../../facts/call-budgets.js";
import { defineRule } from "../../rule.js";

interface Params extends Pick<Budget, "kind" | "name" | "most"> {
  readonly least: number;
  readonly phase: string;
}

/** A session that runs out of calls before it can end never reaches a terminal phase. */
export const limitBelowShortestPath = defineRule<Params>({
  code: "limit_below_shortest_path",
  stage: "graph",
  severity: "warning",
  what: "A limit of the session, or the bound of an aggregate, is lower than what every path to a terminal phase needs.",
  why: "The limit is reached before the session can end, so no session ever reaches a terminal phase.",
  fix: "Raise the limit, or shorten the path to a terminal phase.",
  message({ kind, name, most, least, phase }) {
    if (kind === "aggregate")
      return `every path to a terminal phase takes the aggregate ${quoted(name)} to ${least} or more, above ${most}`;
    const away = counted(least, kind === "max_steps" ? "step" : "call");
    return `${quoted(name)} is ${most}, but the nearest terminal phase ${quoted(phase)} is ${away} away`;
  },
  help: ({ kind, name, least }) => `raise ${kind === "aggregate" ? "the bound" : quoted(name)} to at least ${least}`,
  check(context, report) {
    for (const budget of budgetsOf(context)) {
      const end = nearestEnd(context, budget);
      if (end === null || !exceeds(budget, end.least)) continue;
      const { kind, name, most, span } = budget;
      report(span, { kind, name, most, least: numberOf(end.least), phase: end.phase });
    }
  },
});
