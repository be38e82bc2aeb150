import { quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly name: string | undefined;
}

/** A value that nothing bounds refuses nothing. */
export const missingBound = defineRule<Params>({
  code: "missing_bound",
  stage: "resolve",
  severity: "error",
  what: "An aggregate has neither `gte` nor `lte`.",
  why: "It would be computed and never refuse anything.",
  fix: "Add `lte`, `gte` or both.",
  message: ({ name }) => `the aggregate${name === undefined ? "" : ` ${quoted(name)}`} has no bound`,
  help: () => "add `lte`, `gte` or both",
  check(context, report) {
    for (const aggregate of context.session?.aggregates ?? []) {
      const bounded = (["gte", "lte"] as const).some(
        (key) => aggregate[key] !== undefined || isDamaged(aggregate, key),
      );
      if (!bounded) report(spanOf(aggregate), { name: aggregate.name });
    }
  },
});
