import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { claimedHolds } from "../../role-claims.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly alias: string;
  readonly known: readonly string[];
  /** What does not declare the resource. */
  readonly where: "workflow.yaml" | "role";
}

/** The resources that the sessions of a role declare; null when that is not known. */
function resourcesOfRole({ roles }: RuleContext, name: string | undefined): readonly string[] | null {
  const target = roles.find(({ role }) => role.name === name)?.target;
  if (target === undefined || typeof target === "string") return null;
  if (target.session !== null && isDamaged(target.session, "resources")) return null;
  return Object.keys(target.session?.resources ?? {});
}

/** A claim about a resource that nobody holds is kept by chance. */
export const unknownSharedResource = defineRule<Params>({
  code: "unknown_shared_resource",
  stage: "resolve",
  severity: "error",
  what: "A claim names a resource that is not shared in the workflow, or that its role does not declare.",
  why: "No session of the role can ever hold it, so the claim would be about nothing.",
  fix: "Correct the name, or list the resource under `shared_resources` in workflow.yaml and under `resources` in the role's session.yaml.",
  message: ({ alias, where }) =>
    where === "role"
      ? `the role of the claim does not declare the resource ${quoted(alias)}`
      : `${quoted(alias)} is no shared resource of the workflow`,
  help: ({ alias, known, where }) =>
    didYouMean(
      alias,
      known,
      where === "role"
        ? "declare it under `resources` in the role's session.yaml"
        : "list it under `shared_resources` in workflow.yaml",
    ),
  check(context, report) {
    const { workflow } = context;
    if (workflow === null || isDamaged(workflow, "shared_resources")) return;
    const shared = (workflow.shared_resources ?? []).flatMap(({ alias }) => alias ?? []);
    for (const { name: alias, span, role } of claimedHolds(context)) {
      const known = resourcesOfRole(context, role);
      if (!shared.includes(alias)) report(span, { alias, known: shared, where: "workflow.yaml" });
      else if (known?.includes(alias) === false) report(span, { alias, known, where: "role" });
    }
  },
});
