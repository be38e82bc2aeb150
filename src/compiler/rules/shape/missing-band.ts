import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** A band without a width limits nothing. */
export const missingBand = defineRule<object>({
  code: "missing_band",
  stage: "resolve",
  severity: "error",
  what: "An envelope with `constraint: within_band` has no `band`.",
  why: "Without it, how far a value may be from its anchor is not known.",
  fix: "Add `band` as a fraction of the anchor, e.g. 0.05 for five percent.",
  message: () => "`within_band` needs a `band`",
  help: () => "add `band: 0.05` for five percent",
  check(context, report) {
    for (const envelope of context.session?.envelopes ?? []) {
      if (envelope.constraint !== "within_band" || envelope.band !== undefined || isDamaged(envelope, "band")) continue;
      report(valueSpan(envelope, "constraint"), {});
    }
  },
});
