import { quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly metric: string;
}

/** Only counting needs no value. */
export const missingAggregatePath = defineRule<Params>({
  code: "missing_aggregate_path",
  stage: "resolve",
  severity: "error",
  what: "An aggregate other than `count` has no `path`.",
  why: "A sum, a maximum, a minimum and a number of distinct values are computed from a value.",
  fix: "Add the `path` of the value in the arguments.",
  message: ({ metric }) => `the metric ${quoted(metric)} needs a \`path\``,
  help: () => "add the `path` of the value in the arguments",
  check(context, report) {
    for (const aggregate of context.session?.aggregates ?? []) {
      const { metric, path } = aggregate;
      if (metric === undefined || metric === "count" || path !== undefined || isDamaged(aggregate, "path")) continue;
      report(valueSpan(aggregate, "metric"), { metric });
    }
  },
});
