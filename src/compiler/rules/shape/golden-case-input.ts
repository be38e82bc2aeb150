import { quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { spanOf } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly id: string | undefined;
  readonly both: boolean;
}

/** A case is one call. */
export const goldenCaseInput = defineRule<Params>({
  code: "golden_case_input",
  stage: "resolve",
  severity: "error",
  what: "A golden case has both `arguments` and `input_ref`, or neither.",
  why: "A case is one call, so it needs exactly one set of arguments.",
  fix: "Give either `arguments` or `input_ref`.",
  message: ({ id, both }) =>
    `the golden case${id === undefined ? "" : ` ${quoted(id)}`} has ${both ? "both `arguments` and `input_ref`" : "neither `arguments` nor `input_ref`"}`,
  help: ({ both }) => (both ? "keep one of them" : "add `arguments: {…}`"),
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const entry of contract.golden_cases ?? []) {
        const inline = entry.arguments !== undefined || isDamaged(entry, "arguments");
        const file = entry.input_ref !== undefined || isDamaged(entry, "input_ref");
        if (inline === file) report(spanOf(entry), { id: entry.id, both: inline }, name);
      }
    }
  },
});
