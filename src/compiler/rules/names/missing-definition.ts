import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly known: Iterable<string>;
}

/** A contract for a tool that is never offered protects nothing. */
export const missingDefinition = defineRule<Params>({
  code: "missing_definition",
  stage: "resolve",
  severity: "warning",
  what: "A contract is for a tool that the tool definitions do not have.",
  why: "The model is never offered such a tool, so its name may be misspelt; and its arguments have no schema.",
  fix: "Correct the name, or add the tool to the definitions.",
  message: ({ tool }) => `tool ${quoted(tool)} is not among the tool definitions`,
  help: ({ tool, known }) => didYouMean(tool, known, "add it to the tool definitions"),
  check(context, report) {
    const { definitions } = context.files;
    if (definitions === null || !definitions.complete) return;
    for (const { contract, stem } of context.tools) {
      const { tool } = contract;
      if (tool === undefined || definitions.tools.has(tool) || definitions.tools.has(stem)) continue;
      report(valueSpan(contract, "tool"), { tool, known: definitions.tools.keys() }, tool);
    }
  },
});
