import { isDamaged } from "../../../language/draft.js";
import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** A tolerance has a meaning only around a bound value. */
export const toleranceWithoutRef = defineRule<object>({
  code: "tolerance_without_ref",
  stage: "resolve",
  severity: "error",
  what: "An entry has `tolerance` but no `ref`.",
  why: "A tolerance is the allowed distance from a bound value; without one it does nothing.",
  fix: "Add the `ref` it belongs to, or give the range with `gte` and `lte`.",
  message: () => "`tolerance` is only valid with `ref`",
  help: () => "add `ref: <slot>`, or give the range with `gte` and `lte`",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const entry of contract.argument_value_invariants ?? []) {
        if (entry.tolerance === undefined || entry.ref !== undefined || isDamaged(entry, "ref")) continue;
        report(keySpan(entry, "tolerance"), {}, name);
      }
    }
  },
});
