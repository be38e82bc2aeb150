import { didYouMean, listed, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { sharedResources } from "../../facts/shared-resources.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly alias: string;
  /** The roles whose session declares it. */
  readonly roles: readonly string[];
  /** Every resource that some role declares. */
  readonly known: readonly string[];
}

/** A mode for a resource that no call touches coordinates nothing. */
export const unusedSharedResource = defineRule<Params>({
  code: "unused_shared_resource",
  stage: "graph",
  severity: "warning",
  isError: ({ roles }) => roles.length === 0,
  what: "A shared resource that no call can touch: no role's session.yaml declares it (an error), or no tool of those roles can carry its path.",
  why: "Calls are matched to shared resources by that name and that path, so nothing would ever be coordinated.",
  fix: "Declare it under `resources` in the session.yaml of the roles that act on it, with the path where their tools name it.",
  message: ({ alias, roles }) =>
    roles.length === 0
      ? `no role declares the resource ${quoted(alias)}`
      : `no tool of ${listed(roles, "and")} can be called with an argument that names the resource ${quoted(alias)}`,
  help: ({ alias, roles, known }) =>
    roles.length === 0
      ? didYouMean(alias, known, "declare it under `resources` in a role's session.yaml")
      : "correct its `extract_from.path`, or no longer share it",
  check(context, report) {
    const known = context.roles.flatMap(({ target }) =>
      typeof target === "object" ? Object.keys(target.session?.resources ?? {}) : [],
    );
    for (const { alias, draft, roles } of sharedResources(context)) {
      if (roles.some(({ touches }) => touches.length > 0)) continue;
      report(valueSpan(draft, "alias"), { alias, roles: roles.map(({ role }) => role), known });
    }
  },
});
