import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

/** Only a handoff makes a child. */
export const unusedClosePolicy = defineRule<object>({
  code: "unused_close_policy",
  stage: "graph",
  severity: "warning",
  what: "The workflow says what happens to children when their parent closes, and declares no handoff.",
  why: "Only a handoff makes a child, so the policy never acts, and the handoffs it was written for may be missing.",
  fix: "Declare the handoffs that it is for, or drop it.",
  message: () => "without handoffs no session has children that `parent_close_policy` could be for",
  help: () => "declare the handoffs that it is for, or drop it",
  check({ workflow }, report) {
    if (workflow?.parent_close_policy === undefined || (workflow.handoffs ?? []).length > 0) return;
    report(keySpan(workflow, "parent_close_policy"), {});
  },
});
