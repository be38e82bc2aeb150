import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
}

/** What cannot be verified cannot be acknowledged either. */
export const acknowledgedUnverifiable = defineRule<Params>({
  code: "acknowledged_unverifiable",
  stage: "resolve",
  severity: "warning",
  what: "An `unverifiable` tool has `commit_requirement: acknowledged`.",
  why: "There is no acknowledgement to wait for: such a call commits at dispatch anyway.",
  fix: "Write `commit_requirement: none`, or use an evidence class that has a reply.",
  message: ({ tool }) => `tool ${quoted(tool)} is unverifiable, so it commits at dispatch and not when acknowledged`,
  help: () => "write `commit_requirement: none`",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      if (contract.evidence_class !== "unverifiable" || contract.commit_requirement !== "acknowledged") continue;
      report(valueSpan(contract, "commit_requirement"), { tool: name }, name);
    }
  },
});
