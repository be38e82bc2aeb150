import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { RESERVED_FILES } from "../../../language/read-pack.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly stem: string;
  /** Whether there is a file of the right name already. */
  readonly taken: boolean;
  /** Whether a file of the right name would be no tool contract. */
  readonly reserved: boolean;
}

/** The file name is how people find the contract of a tool. */
export const fileNameMismatch = defineRule<Params>({
  code: "file_name_mismatch",
  stage: "resolve",
  severity: "error",
  what: "The file name and `tool` differ.",
  why: "People find a contract by its file name; a different one hides which tool it is for.",
  fix: "Rename the file to `{tool}.yaml`, or correct `tool`.",
  message: ({ tool, stem }) => `the contract of ${quoted(tool)} is in ${quoted(`${stem}.yaml`)}`,
  help({ tool, taken, reserved }) {
    if (reserved)
      return `correct \`tool\`: ${quoted(`${tool}.yaml`)} is not a tool contract, so no tool can have this name`;
    return `${taken ? "" : `rename the file to ${quoted(`${tool}.yaml`)}, or `}correct \`tool\``;
  },
  check(context, report) {
    for (const { contract, stem } of context.tools) {
      if (contract.tool === undefined || contract.tool === stem) continue;
      const { tool } = contract;
      const taken = context.tools.some((other) => other.stem === tool);
      report(valueSpan(contract, "tool"), { tool, stem, taken, reserved: RESERVED_FILES.has(`${tool}.yaml`) });
    }
  },
});
