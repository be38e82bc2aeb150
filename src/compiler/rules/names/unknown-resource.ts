import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { claimedHolds } from "../../role-claims.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly alias: string;
  readonly known: readonly string[];
  /** What does not declare the resource. */
  readonly missingIn: "workflow.yaml" | "role";
}

/** The resources that the sessions of a role declare; null when that is not known. */
function resourcesOfRole({ roles }: RuleContext, name: string | undefined): readonly string[] | null {
  const target = roles.find(({ role }) => role.name === name)?.target;
  if (target === undefined || typeof target === "string") return null;
  if (target.session !== null && isDamaged(target.session, "resources")) return null;
  return Object.keys(target.session?.resources ?? {});
}

/** A claim about a resource that is never held would always hold. */
export const unknownResource = defineRule<Params>({
  code: "unknown_resource",
  stage: "resolve",
  severity: "error",
  what: "A claim names a resource that its role never holds.",
  why: "The claim would hold whatever the contracts say.",
  fix: "Correct the name, or share the resource in workflow.yaml and declare it under `resources` in the session.yaml of the role.",
  message: ({ alias, missingIn }) =>
    missingIn === "role"
      ? `the role of the claim does not declare the resource ${quoted(alias)}`
      : `${quoted(alias)} is no shared resource of the workflow`,
  help: ({ alias, known, missingIn }) =>
    didYouMean(
      alias,
      known,
      missingIn === "role"
        ? "declare it under `resources` in the role's session.yaml"
        : "list it under `shared_resources` in workflow.yaml",
    ),
  check(context, report) {
    const { workflow } = context;
    if (workflow === null || isDamaged(workflow, "shared_resources")) return;
    const shared = (workflow.shared_resources ?? []).flatMap(({ alias }) => alias ?? []);
    for (const { name: alias, span, role } of claimedHolds(context)) {
      const known = resourcesOfRole(context, role);
      if (!shared.includes(alias)) report(span, { alias, known: shared, missingIn: "workflow.yaml" });
      else if (known?.includes(alias) === false) report(span, { alias, known, missingIn: "role" });
    }
  },
});
