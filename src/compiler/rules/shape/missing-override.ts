import { isDamaged } from "../../../language/draft.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** A condition without an effect changes nothing. */
export const missingOverride = defineRule<object>({
  code: "missing_override",
  stage: "resolve",
  severity: "error",
  what: "A `when` entry of an aggregate has neither `then_gte` nor `then_lte`.",
  why: "The condition would be judged and change nothing.",
  fix: "Add `then_lte`, `then_gte` or both.",
  message: () => "the `when` entry has neither `then_gte` nor `then_lte`",
  help: () => "add `then_lte`, `then_gte` or both",
  check(context, report) {
    for (const { when } of context.session?.aggregates ?? []) {
      for (const override of when ?? []) {
        const keys = ["then_gte", "then_lte"] as const;
        if (!keys.some((key) => override[key] !== undefined || isDamaged(override, key))) report(spanOf(override), {});
      }
    }
  },
});
