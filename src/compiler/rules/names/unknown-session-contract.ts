import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly file: string;
  readonly isOutside: boolean;
}

/** A role without a pack has no rules. */
export const unknownSessionContract = defineRule<Params>({
  code: "unknown_session_contract",
  stage: "resolve",
  severity: "error",
  what: "The `session_contract` of a role leads to no session.yaml that may be read.",
  why: "Without its pack the sessions of that role would have no rules.",
  fix: "Give the path of the role's `session.yaml`, relative to workflow.yaml.",
  message: ({ file, isOutside }) =>
    isOutside ? `${quoted(file)} is outside the pack` : `${quoted(file)} does not lead to a session.yaml`,
  help: ({ isOutside }) =>
    isOutside
      ? "move the role's pack below workflow.yaml, or name a folder that holds both with `--root DIR`"
      : "give the path of the role's `session.yaml`, relative to workflow.yaml",
  check(context, report) {
    for (const { role, target } of context.roles) {
      const isOutside = target === "outside";
      if ((target !== "missing" && !isOutside) || role.session_contract === undefined) continue;
      report(valueSpan(role, "session_contract"), { file: role.session_contract, isOutside });
    }
  },
});
