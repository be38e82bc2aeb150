import { quoted } from "../../../diagnostics/wording.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly check: string;
  readonly tool: string | null;
}

/** A suppression without a finding would hide a new one later. */
export const unusedSuppression = defineRule<Params>({
  code: "unused_suppression",
  stage: "graph",
  severity: "warning",
  what: "A suppression suppresses nothing.",
  why: "Its finding is gone; left in place it would hide a new finding that was never reviewed.",
  fix: "Remove it.",
  message: ({ check, tool }) =>
    `nothing is suppressed: no finding ${quoted(check)}${tool === null ? "" : ` about ${quoted(tool)}`}`,
  help: () => "remove the suppression",
  check(context, report) {
    for (const suppression of context.suppressions.unused()) {
      report(spanOf(suppression), { check: suppression.check ?? "", tool: suppression.tool ?? null });
    }
  },
});
