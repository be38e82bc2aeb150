import { listed, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { CONSTRAINT_ROLES } from "../../constraint-roles.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly role: string;
  readonly constraint: string;
  readonly roles: readonly string[];
}

/** A stage that the constraint does not use would do nothing. */
export const conflictingStageRole = defineRule<Params>({
  code: "conflicting_stage_role",
  stage: "resolve",
  severity: "error",
  what: "A stage has a role that its envelope's constraint does not use.",
  why: "The value of that stage would be captured and never used.",
  fix: "Use a role of the constraint, or another constraint.",
  message: ({ role, constraint }) => `the role ${quoted(role)} is not used by ${quoted(constraint)}`,
  help: ({ constraint, roles }) => `${quoted(constraint)} uses ${listed(roles, "and")}`,
  check(context, report) {
    for (const { constraint, stages } of context.session?.envelopes ?? []) {
      if (constraint === undefined) continue;
      const roles = [...CONSTRAINT_ROLES[constraint], "constrained"];
      for (const stage of stages ?? []) {
        if (stage.role === undefined || roles.includes(stage.role)) continue;
        report(valueSpan(stage, "role"), { role: stage.role, constraint, roles });
      }
    }
  },
});
