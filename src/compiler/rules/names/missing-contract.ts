import { quoted } from "../../../diagnostics/wording.js";
import { RESERVED_FILES } from "../../../language/read-pack.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
}

/** A tool without a contract is refused, or unguarded if the guard's options allow it. */
export const missingContract = defineRule<Params>({
  code: "missing_contract",
  stage: "resolve",
  severity: "warning",
  what: "A defined tool has no contract.",
  why: "Its calls are refused, or allowed unjudged if the guard's options allow unmatched tools.",
  fix: "Add the contract `{tool}.yaml`, or remove the tool from the definitions.",
  message: ({ tool }) => `tool ${quoted(tool)} is defined but has no contract`,
  help({ tool }) {
    const file = `${tool}.yaml`;
    if (RESERVED_FILES.has(file))
      return `rename the tool: ${quoted(file)} is not a tool contract, so no tool can have this name`;
    return `add ${quoted(file)}, or remove the tool from the definitions`;
  },
  check(context, report) {
    for (const { name, nameSpan } of context.files.definitions?.tools.values() ?? []) {
      if (!context.toolsByName.has(name)) report(nameSpan, { tool: name }, name);
    }
  },
});
