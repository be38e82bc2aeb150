import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** Counting calls looks at no value. */
export const unusedAggregatePath = defineRule<object>({
  code: "unused_aggregate_path",
  stage: "resolve",
  severity: "warning",
  what: "An aggregate with `metric: count` has a `path`.",
  why: "Counting calls looks at no value, so the path is ignored; perhaps another metric was meant.",
  fix: "Remove the `path`, or use `count_distinct` to count different values.",
  message: () => "`path` is ignored with `metric: count`",
  help: () => "remove it, or use `count_distinct` to count different values",
  check(context, report) {
    for (const aggregate of context.session?.aggregates ?? []) {
      if (aggregate.metric !== "count" || aggregate.path === undefined) continue;
      report(keySpan(aggregate, "path"), {}, typeof aggregate.tool === "string" ? aggregate.tool : undefined);
    }
  },
});
