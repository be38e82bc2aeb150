import { quoted } from "../../../diagnostics/wording.js";
import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly resource: string;
}

const CODE = "unused_resource";

/** Only a workflow uses resources, by sharing them. */
export const unusedResource = defineRule<Params>({
  code: CODE,
  stage: "graph",
  severity: "warning",
  what: "A role declares a resource that the workflow does not share.",
  why: "Sessions that act on the same resource are then not coordinated at all.",
  fix: "Name it under `shared_resources` in workflow.yaml, or drop it.",
  message: ({ resource }) => `the workflow does not share the resource ${quoted(resource)}`,
  help: () => "name it under `shared_resources` in workflow.yaml, or drop it",
  check(context, report) {
    // Without a workflow it is not known which workflows will use the pack.
    if (context.workflow === null) return;
    const shared = new Set((context.workflow.shared_resources ?? []).map(({ alias }) => alias));
    for (const { session, suppressions } of new Set(context.roles.map(({ target }) => target).filter(isPack))) {
      const resources = session?.resources ?? {};
      for (const resource of Object.keys(resources)) {
        if (shared.has(resource)) continue;
        const span = keySpan(resources, resource);
        // The finding is about the pack of the role, so that pack's suppressions count too.
        if (suppressions.suppresses({ code: CODE, severity: "warning", span, message: "" })) continue;
        report(span, { resource });
      }
    }
  },
});

function isPack<T extends object>(target: T | string): target is T {
  return typeof target === "object";
}
