import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { claimedHolds } from "../../role-claims.js";
import { defineRule, type Report } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly alias: string;
  readonly known: readonly string[];
  /** For a claim: what does not declare the resource. */
  readonly claimed?: "workflow.yaml" | "role";
}

/** The resources of all roles; null when a broken pack may declare more. */
function resourcesOf(context: RuleContext): readonly string[] | null {
  if (context.workflow === null || isDamaged(context.workflow, "roles")) return null;
  const names: string[] = [];
  for (const { target } of context.roles) {
    if (typeof target === "string") return null;
    if (target.session === null) continue;
    if (isDamaged(target.session, "resources")) return null;
    names.push(...Object.keys(target.session.resources ?? {}));
  }
  return names;
}

/** The resources that the sessions of a role declare; null when that is not known. */
function resourcesOfRole({ roles }: RuleContext, name: string | undefined): readonly string[] | null {
  const target = roles.find(({ role }) => role.name === name)?.target;
  if (target === undefined || typeof target === "string") return null;
  if (target.session !== null && isDamaged(target.session, "resources")) return null;
  return Object.keys(target.session?.resources ?? {});
}

function judgeClaims(context: RuleContext, report: Report<Params>): void {
  const { workflow } = context;
  if (workflow === null || isDamaged(workflow, "shared_resources")) return;
  const shared = (workflow.shared_resources ?? []).flatMap(({ alias }) => alias ?? []);
  for (const { name: alias, span, role } of claimedHolds(context)) {
    const known = resourcesOfRole(context, role);
    if (!shared.includes(alias)) report(span, { alias, known: shared, claimed: "workflow.yaml" });
    else if (known?.includes(alias) === false) report(span, { alias, known, claimed: "role" });
  }
}

/** A lock on a resource that no session acts on locks nothing. */
export const unknownResource = defineRule<Params>({
  code: "unknown_resource",
  stage: "resolve",
  severity: "error",
  what: "No role's session.yaml declares the shared resource, or a claim names a resource that its role never holds.",
  why: "Calls are matched to shared resources by that name, so nothing would ever be coordinated, and nothing held.",
  fix: "Declare it under `resources` in the session.yaml of the roles that act on it, or correct the name.",
  message({ alias, claimed }) {
    if (claimed === undefined) return `no role declares the resource ${quoted(alias)}`;
    if (claimed === "role") return `the role of the claim does not declare the resource ${quoted(alias)}`;
    return `${quoted(alias)} is no shared resource of the workflow`;
  },
  help: ({ alias, known, claimed }) =>
    didYouMean(
      alias,
      known,
      claimed === "workflow.yaml"
        ? "list it under `shared_resources` in workflow.yaml"
        : "declare it under `resources` in a role's session.yaml",
    ),
  check(context, report) {
    judgeClaims(context, report);
    const known = resourcesOf(context);
    if (known === null) return;
    for (const resource of context.workflow?.shared_resources ?? []) {
      const { alias } = resource;
      if (alias !== undefined && !known.includes(alias)) report(valueSpan(resource, "alias"), { alias, known });
    }
  },
});
