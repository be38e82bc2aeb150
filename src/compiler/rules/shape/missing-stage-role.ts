import { quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { CONSTRAINT_ROLES } from "../../constraint-roles.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly constraint: string;
  readonly missing: readonly string[];
}

/** Without its reference a constraint always blocks, without a constrained stage it never does. */
export const missingStageRole = defineRule<Params>({
  code: "missing_stage_role",
  stage: "resolve",
  severity: "error",
  what: "An envelope lacks a stage that its constraint needs.",
  why: "Without its reference a constraint blocks every call, without a constrained stage it never blocks any.",
  fix: "Add a stage with the missing role.",
  message: ({ constraint, missing }) =>
    `${quoted(constraint)} needs a stage with the role ${missing.map(quoted).join(" and one with ")}`,
  help: ({ missing }) => `add ${missing.map((role) => `a stage with \`role: ${role}\``).join(" and ")}`,
  check(context, report) {
    for (const envelope of context.session?.envelopes ?? []) {
      const { constraint, stages } = envelope;
      if (constraint === undefined || stages === undefined || isDamaged(envelope, "stages")) continue;
      const needed = [...CONSTRAINT_ROLES[constraint], "constrained"];
      const present = new Set<string | undefined>(stages.map(({ role }) => role));
      const missing = needed.filter((role) => !present.has(role));
      // A stage of a foreign role, reported as such, was probably meant to be the missing one.
      const isForeign = stages.some(({ role }) => role !== undefined && !needed.includes(role));
      if (missing.length > 0 && !isForeign) report(valueSpan(envelope, "constraint"), { constraint, missing });
    }
  },
});
