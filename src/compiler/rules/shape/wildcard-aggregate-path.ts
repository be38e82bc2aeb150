import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly path: string;
}

/** A tool that spells the argument differently escapes the bound. */
export const wildcardAggregatePath = defineRule<Params>({
  code: "wildcard_aggregate_path",
  stage: "resolve",
  severity: "warning",
  what: "An aggregate over all tools reads a path.",
  why: "A call without that argument contributes nothing, so a tool that spells it differently escapes the bound.",
  fix: "Name the tools it is computed over; a call of them without the path is then refused.",
  message: ({ path }) => `calls without ${quoted(path)} contribute nothing to an aggregate over all tools`,
  help: () => "name the tools: a call of them without the path is then refused",
  check(context, report) {
    for (const aggregate of context.session?.aggregates ?? []) {
      const { tool, metric, path } = aggregate;
      if (tool === "*" && metric !== "count" && path !== undefined) report(valueSpan(aggregate, "tool"), { path });
    }
  },
});
