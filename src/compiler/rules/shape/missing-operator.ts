import type { Span } from "../../../diagnostics/source.js";
import { listed, quoted } from "../../../diagnostics/wording.js";
import { isLater, operatorEntries, operatorNames } from "../../operator-entries.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly where: string;
  readonly operators: readonly string[];
}

/** An entry without an operator tests nothing. */
export const missingOperator = defineRule<Params>({
  code: "missing_operator",
  stage: "resolve",
  severity: "error",
  what: "An entry has no operator.",
  why: "It names a value and tests nothing about it, so it would always hold.",
  fix: "Add an operator; `exists: true` requires the value to be present.",
  message: ({ where }) => `the entry in ${quoted(where)} has no operator`,
  help: ({ operators }) => `add ${listed(operators)}`,
  check(context, report) {
    const seen = new Set<Span>();
    for (const { span, keys, damaged, family, where } of operatorEntries(context)) {
      const operators = operatorNames(family);
      // A lone `tolerance` has its own rule.
      if (damaged || seen.has(span) || keys.has("tolerance") || operators.some((name) => keys.has(name))) continue;
      seen.add(span);
      report(span, { where, operators: operators.filter((name) => !isLater(name, context.version())) });
    }
  },
});
