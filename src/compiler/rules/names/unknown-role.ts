import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly role: string;
  readonly known: readonly string[];
}

/** A handoff to an unknown role can never be made. */
export const unknownRole = defineRule<Params>({
  code: "unknown_role",
  stage: "resolve",
  severity: "error",
  what: "A handoff names a role that the workflow does not declare.",
  why: "Such a handoff can never be made, and the intended one is refused.",
  fix: "Declare the role under `roles`, or correct the name.",
  message: ({ role }) => `role ${quoted(role)} is not declared`,
  help: ({ role, known }) => didYouMean(role, known, `declared roles: ${known.map(quoted).join(", ")}`),
  check(context, report) {
    const { workflow } = context;
    if (workflow === null || isDamaged(workflow, "roles")) return;
    const known = (workflow.roles ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]));
    for (const handoff of workflow.handoffs ?? []) {
      for (const key of ["from", "to"] as const) {
        const role = handoff[key];
        if (role !== undefined && !known.includes(role)) report(valueSpan(handoff, key), { role, known });
      }
    }
  },
});
