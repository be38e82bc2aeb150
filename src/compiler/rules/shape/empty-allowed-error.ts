import { isDamaged } from "../../../language/draft.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** An entry without a condition would excuse every error. */
export const emptyAllowedError = defineRule<object>({
  code: "empty_allowed_error",
  stage: "resolve",
  severity: "error",
  what: "An entry of `allowed_errors` has none of `status`, `code` and `message_regex`.",
  why: "It would match every error, so that no failure ever reaches the circuit breaker.",
  fix: "State which error is meant.",
  message: () => "the entry matches every error",
  help: () => "add `status`, `code` or `message_regex`",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const entry of contract.allowed_errors ?? []) {
        if (typeof entry === "string") continue;
        const keys = ["status", "code", "message_regex"] as const;
        if (!keys.some((key) => entry[key] !== undefined || isDamaged(entry, key))) report(spanOf(entry), {}, name);
      }
    }
  },
});
