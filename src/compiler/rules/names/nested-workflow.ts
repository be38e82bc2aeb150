import { fileSpan } from "../../../diagnostics/source.js";
import { defineRule } from "../../rule.js";

/** A workflow inside a role would never be read. */
export const nestedWorkflow = defineRule<object>({
  code: "nested_workflow",
  stage: "resolve",
  severity: "error",
  what: "The pack of a role has its own workflow.yaml.",
  why: "Workflows do not nest: the inner one would never take effect.",
  fix: "Remove it, and declare its roles and handoffs in the outer workflow.yaml.",
  message: () => "the pack of a role cannot have its own workflow",
  help: () => "declare its roles and handoffs in the outer workflow.yaml",
  check(context, report) {
    for (const { target } of context.roles) {
      if (typeof target === "string" || target === context || target.files.workflow === null) continue;
      report(fileSpan(target.files.workflow.source), {});
    }
  },
});
