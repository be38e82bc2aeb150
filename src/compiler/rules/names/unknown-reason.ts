import { REASONS } from "../../../artifact/reasons.js";
import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly reason: string;
}

/** A test that expects a reason no check gives can never pass. */
export const unknownReason = defineRule<Params>({
  code: "unknown_reason",
  stage: "resolve",
  severity: "error",
  what: "`expected_error` of a golden case, or `reason` of a scenario, is not a reason code.",
  why: "No check gives that reason, so the test could never pass.",
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
    for (const { draft } of context.files.scenarios) {
      for (const step of draft.steps ?? []) {
        const { reason } = step;
        if (reason !== undefined && !Object.hasOwn(REASONS, reason)) report(valueSpan(step, "reason"), { reason });
      }
    }
  },
});
