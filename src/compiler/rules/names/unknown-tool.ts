import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { toolReferences } from "../../references.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly where: string;
  readonly known: Iterable<string>;
  readonly defined: boolean;
}

/** A rule about a tool without a contract would never apply. */
export const unknownTool = defineRule<Params>({
  code: "unknown_tool",
  stage: "resolve",
  severity: "error",
  what: "A rule names a tool that has no contract in the pack.",
  why: "Calls are matched to rules by contract, so the rule would never apply to any call.",
  fix: "Correct the name, or add the contract `{tool}.yaml`.",
  message: ({ tool, where }) => `${quoted(where)} names ${quoted(tool)}, which has no contract`,
  help({ tool, known, defined }) {
    return didYouMean(tool, defined ? [] : known, `add ${quoted(`${tool}.yaml`)}`);
  },
  check(context, report) {
    const misnamed = new Set(context.problems("wrong_extension").map(({ name }) => name.replace(/\.[^.]*$/, "")));
    for (const { tool, span, where } of toolReferences(context)) {
      const defined = context.definition(tool) !== undefined;
      // A warning about a defined tool without a contract can be suppressed by the tool's name.
      if (context.toolsByName.has(tool) || misnamed.has(tool) || (defined && where === "suppress")) continue;
      report(span, { tool, where, known: context.toolsByName.keys(), defined });
    }
  },
});
