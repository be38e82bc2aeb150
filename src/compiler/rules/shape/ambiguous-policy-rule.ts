import { isDamaged } from "../../../language/draft.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly both: boolean;
}

/** One entry, one decision. */
export const ambiguousPolicyRule = defineRule<Params>({
  code: "ambiguous_policy_rule",
  stage: "resolve",
  severity: "error",
  what: "A rule of the session policy has both `allow` and `deny`, or neither.",
  why: "An entry makes one decision; with both it is not known which is meant, with neither it does nothing.",
  fix: "Write one `- allow:` or `- deny:` per entry.",
  message: ({ both }) =>
    both ? "the policy rule has both `allow` and `deny`" : "the policy rule has neither `allow` nor `deny`",
  help: ({ both }) => (both ? "make two entries of it" : "write `- allow:` or `- deny:`"),
  check(context, report) {
    for (const rule of context.session?.policy?.rules ?? []) {
      const allow = rule.allow !== undefined || isDamaged(rule, "allow");
      const deny = rule.deny !== undefined || isDamaged(rule, "deny");
      if (allow === deny) report(spanOf(rule), { both: allow });
    }
  },
});
