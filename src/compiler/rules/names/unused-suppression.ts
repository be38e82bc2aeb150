import { quoted } from "../../../diagnostics/wording.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly check: string;
  readonly tool: string | null;
}

/** A suppression that silences nothing will silence something new one day. */
export const unusedSuppression = defineRule<Params>({
  code: "unused_suppression",
  stage: "graph",
  severity: "warning",
  what: "A suppression silences nothing.",
  why: "What it was for is gone; left in place it would silence a new finding that nobody has judged.",
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
