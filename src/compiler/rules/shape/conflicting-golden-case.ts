import { quoted } from "../../../diagnostics/wording.js";
import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly id: string | undefined;
}

/** A call is allowed or refused, not both. */
export const conflictingGoldenCase = defineRule<Params>({
  code: "conflicting_golden_case",
  stage: "resolve",
  severity: "error",
  what: "A golden case expects the call to be allowed and names the reason of its refusal.",
  why: "A call is either allowed or refused; a case that expects both can never pass.",
  fix: "Write `expect_ok: false`, or remove `expected_error`.",
  message: ({ id }) => `the golden case${id === undefined ? "" : ` ${quoted(id)}`} expects success and an error`,
  help: () => "write `expect_ok: false`, or remove `expected_error`",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const entry of contract.golden_cases ?? []) {
        if (entry.expect_ok !== true || entry.expected_error === undefined) continue;
        report(keySpan(entry, "expected_error"), { id: entry.id }, name);
      }
    }
  },
});
