import { quoted } from "../../../diagnostics/wording.js";
import { outputUses } from "../../output-uses.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly use: string;
}

/** A tool without an observable output has nothing to read. */
export const outputOfUnverifiable = defineRule<Params>({
  code: "output_of_unverifiable",
  stage: "resolve",
  severity: "error",
  what: "A rule reads the output of an `unverifiable` tool.",
  why: "Such a tool is fire-and-forget: there is no output to observe, so the rule could never be judged.",
  fix: "Make the tool `local_transaction` if its result can be observed, or base the rule on its arguments.",
  message: ({ tool, use }) =>
    `${use} reads the output of ${quoted(tool)}, which is unverifiable and has none to observe`,
  help: () => "make the tool `local_transaction`, or use its arguments instead",
  check(context, report) {
    for (const { tool, use, span } of outputUses(context)) {
      if (tool.contract.evidence_class === "unverifiable") report(span, { tool: tool.name, use }, tool.name);
    }
  },
});
