import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { claimedRoles } from "../../role-claims.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly role: string;
  readonly known: readonly string[];
}

/** A handoff to an unknown role can never be made, and a claim about one says nothing. */
export const unknownRole = defineRule<Params>({
  code: "unknown_role",
  stage: "resolve",
  severity: "error",
  what: "A handoff or a claim names a role that the workflow does not declare.",
  why: "Such a handoff can never be made, and the intended one is refused; such a claim is about no session.",
  fix: "Declare the role under `roles` in workflow.yaml, or correct the name. Claims about roles stand beside workflow.yaml.",
  message: ({ role }) => `role ${quoted(role)} is not declared`,
  help: ({ role, known }) =>
    known.length === 0
      ? "claims about roles belong into the claims.yaml beside workflow.yaml"
      : didYouMean(role, known, `declared roles: ${known.map(quoted).join(", ")}`),
  check(context, report) {
    const { workflow } = context;
    if (workflow === null ? context.files.workflow !== null : isDamaged(workflow, "roles")) return;
    const known = (workflow?.roles ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]));
    const names = new Set(known);
    for (const { name: role, span } of claimedRoles(context)) if (!names.has(role)) report(span, { role, known });
    for (const handoff of workflow?.handoffs ?? []) {
      for (const key of ["from", "to"] as const) {
        const role = handoff[key];
        if (role !== undefined && !known.includes(role)) report(valueSpan(handoff, key), { role, known });
      }
    }
  },
});
