import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { governedRoles, sharedResources } from "../../facts/shared-resources.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly alias: string;
  readonly mode: string;
}

/** Two of the modes keep writers apart, and a tool with the side effect `read` is no writer. */
export const readOnlySharedResource = defineRule<Params>({
  code: "read_only_shared_resource",
  stage: "graph",
  severity: "warning",
  what: "A shared resource has a mode that only keeps changes apart, and every tool that can touch it only reads.",
  why: "The mode refuses no call, although a reader takes the resource for protected.",
  fix: "Correct the side effect of the tools that change it, or the path it is found by; to keep reads apart too, write `exclusive_pending`.",
  message: ({ alias, mode }) => `${quoted(mode)} never acts: every tool that can touch ${quoted(alias)} only reads`,
  help: () => "correct the `side_effect` of the tools that change it, write `exclusive_pending`, or no longer share it",
  check(context, report) {
    for (const resource of sharedResources(context)) {
      const { alias, mode, draft, roles } = resource;
      if (roles.every(({ touches }) => touches.length === 0) || governedRoles(resource).length > 0) continue;
      report(valueSpan(draft, "mode"), { alias, mode });
    }
  },
});
