import { quoted } from "../../../diagnostics/wording.js";
import { outputUses } from "../../output-uses.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly use: string;
}

/** An acknowledgement is not a result. */
export const outputOfAckOnly = defineRule<Params>({
  code: "output_of_ack_only",
  stage: "resolve",
  severity: "warning",
  what: "A rule reads the output of an `ack_only` tool.",
  why: "An acknowledgement is not a result: it shows little about what happened.",
  fix: "Make the tool `local_transaction` if its reply is the result, or base the rule on its arguments.",
  message: ({ tool, use }) => `${use} reads the output of ${quoted(tool)}, which only acknowledges`,
  help: () => "make the tool `local_transaction` if its reply is the result",
  check(context, report) {
    for (const { tool, use, span } of outputUses(context)) {
      if (tool.contract.evidence_class === "ack_only") report(span, { tool: tool.name, use }, tool.name);
    }
  },
});
