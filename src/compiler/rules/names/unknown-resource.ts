import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly alias: string;
  readonly known: readonly string[];
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

/** A lock on a resource that no session acts on locks nothing. */
export const unknownResource = defineRule<Params>({
  code: "unknown_resource",
  stage: "resolve",
  severity: "error",
  what: "No role's session.yaml declares the shared resource.",
  why: "Calls are matched to shared resources by that name, so nothing would ever be coordinated.",
  fix: "Declare it under `resources` in the session.yaml of the roles that act on it, or correct the name.",
  message: ({ alias }) => `no role declares the resource ${quoted(alias)}`,
  help: ({ alias, known }) => didYouMean(alias, known, "declare it under `resources` in a role's session.yaml"),
  check(context, report) {
    const known = resourcesOf(context);
    if (known === null) return;
    for (const resource of context.workflow?.shared_resources ?? []) {
      const { alias } = resource;
      if (alias !== undefined && !known.includes(alias)) report(valueSpan(resource, "alias"), { alias, known });
    }
  },
});
