import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly first: Span;
}

/** Which of two contracts governs the tool cannot be known. */
export const duplicateTool = defineRule<Params>({
  code: "duplicate_tool",
  stage: "resolve",
  severity: "error",
  what: "Two contracts are for one tool.",
  why: "Which of them governs the tool cannot be known.",
  fix: "Merge them into one file, or correct the `tool` of one.",
  message: ({ tool }) => `tool ${quoted(tool)} has two contracts`,
  help: () => "merge them into one file, or correct the `tool` of one",
  related: ({ first }) => [{ span: first, message: "the other one is here" }],
  check(context, report) {
    const firstOf = new Map<string, Span>();
    // The file named after the tool counts as the first.
    const rightfulFirst = [...context.tools].sort((a, b) => Number(b.stem === b.name) - Number(a.stem === a.name));
    for (const { contract } of rightfulFirst) {
      if (contract.tool === undefined) continue;
      const span = valueSpan(contract, "tool");
      const first = firstOf.get(contract.tool);
      if (first === undefined) firstOf.set(contract.tool, span);
      else report(span, { tool: contract.tool, first });
    }
  },
});
