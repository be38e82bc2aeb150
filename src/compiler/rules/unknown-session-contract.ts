import { quoted } from "../../diagnostics/wording.js";
import { valueSpan } from "../../language/located.js";
import { defineRule } from "../rule.js";

interface Params {
  readonly file: string;
}

/** A role without a pack has no rules. */
export const unknownSessionContract = defineRule<Params>({
  code: "unknown_session_contract",
  stage: "resolve",
  severity: "error",
  what: "The `session_contract` of a role leads to no session.yaml.",
  why: "Without its pack the sessions of that role would have no rules.",
  mend: "Give the path of the role's `session.yaml`, relative to workflow.yaml.",
  message: ({ file }) => `${quoted(file)} does not lead to a session.yaml`,
  help: () => "give the path of the role's `session.yaml`, relative to workflow.yaml",
  check(context, report) {
    for (const { role, target } of context.roles) {
      if (target !== "missing" || role.session_contract === undefined) continue;
      report(valueSpan(role, "session_contract"), { file: role.session_contract });
    }
  },
});
