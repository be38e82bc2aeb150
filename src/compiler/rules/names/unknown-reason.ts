import { REASONS } from "../../../artifact/reasons.js";
import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly reason: string;
}

/** A case that expects a reason no check gives can never pass. */
export const unknownReason = defineRule<Params>({
  code: "unknown_reason",
  stage: "resolve",
  severity: "error",
  what: "`expected_error` of a golden case is not a reason code.",
  why: "No check gives that reason, so the case could never pass.",
  fix: "Use one of the guard's reason codes.",
  message: ({ reason }) => `${quoted(reason)} is not a reason code`,
  help: ({ reason }) =>
    didYouMean(reason, Object.keys(REASONS), "use a reason code of the guard, such as `policy_denied`"),
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const entry of contract.golden_cases ?? []) {
        const reason = entry.expected_error;
        if (reason === undefined || Object.hasOwn(REASONS, reason)) continue;
        report(valueSpan(entry, "expected_error"), { reason }, name);
      }
    }
  },
});
