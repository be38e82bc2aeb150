import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly file: string;
  readonly cause: string;
}

/** A case without its input tests nothing. */
export const unknownInputRef = defineRule<Params>({
  code: "unknown_input_ref",
  stage: "resolve",
  severity: "error",
  what: "`input_ref` of a golden case leads to no JSON object.",
  why: "Without its arguments the case tests nothing.",
  fix: "Give the path of a JSON file with the arguments object, relative to the pack.",
  message: ({ file, cause }) => `${quoted(file)} ${cause}`,
  help: () => "give the path of a JSON file that holds the arguments object, relative to the pack",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      for (const entry of contract.golden_cases ?? []) {
        if (entry.input_ref === undefined) continue;
        const input = context.input(entry.input_ref);
        if (input.ok) continue;
        report(valueSpan(entry, "input_ref"), { file: entry.input_ref, cause: input.problem }, name);
      }
    }
  },
});
