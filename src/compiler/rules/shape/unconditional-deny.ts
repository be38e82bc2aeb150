import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** A rule that denies everything to every principal makes the pack useless. */
export const unconditionalDeny = defineRule<object>({
  code: "unconditional_deny",
  stage: "resolve",
  severity: "error",
  what: "A deny rule of the session names neither a principal nor tools.",
  why: "It would refuse every call of every principal; most likely its condition is missing.",
  fix: "Add `principal` or `tools`; to deny by default write `default_deny: true`.",
  message: () => "the deny rule names neither `principal` nor `tools`",
  help: () => "add `principal` or `tools`, or write `default_deny: true`",
  check(context, report) {
    for (const rule of context.session?.policy?.rules ?? []) {
      const deny = rule.deny;
      if (deny === undefined || deny.principal !== undefined || deny.tools !== undefined) continue;
      if (!isDamaged(deny, "principal") && !isDamaged(deny, "tools")) report(valueSpan(rule, "deny"), {});
    }
  },
});
