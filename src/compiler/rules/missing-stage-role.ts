import { listed, quoted } from "../../diagnostics/wording.js";
import { isDamaged } from "../../language/draft.js";
import { valueSpan } from "../../language/located.js";
import { CONSTRAINT_ROLES } from "../constraint-roles.js";
import { defineRule } from "../rule.js";

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
  mend: "Add a stage with the missing role.",
  message: ({ constraint, missing }) => `${quoted(constraint)} needs a stage with the role ${listed(missing, "and")}`,
  help: ({ missing }) => `add a stage with \`role: ${missing[0]}\``,
  check(context, report) {
    for (const envelope of context.session?.envelopes ?? []) {
      const { constraint, stages } = envelope;
      if (constraint === undefined || stages === undefined || isDamaged(envelope, "stages")) continue;
      const present = new Set<string | undefined>(stages.map(({ role }) => role));
      const missing = [...CONSTRAINT_ROLES[constraint], "constrained"].filter((role) => !present.has(role));
      if (missing.length > 0) report(valueSpan(envelope, "constraint"), { constraint, missing });
    }
  },
});
