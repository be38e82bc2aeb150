import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import type { ResolvedRole } from "../../rule-context.js";

interface Params {
  readonly role: string;
}

function resourcesOf({ target }: ResolvedRole): readonly string[] {
  return typeof target === "object" ? Object.keys(target.session?.resources ?? {}) : [];
}

/** Undeclared handoffs are refused, so a role in none of them gets no work from the others and gives them none. */
export const unusedRole = defineRule<Params>({
  code: "unused_role",
  stage: "graph",
  severity: "warning",
  what: "A role takes part in none of the workflow's handoffs and shares no resource.",
  why: "No role can hand off to it and it can hand off to none: it runs beside the others, and shares only limits and kills with them.",
  fix: "Declare the handoff that leads to the role or away from it, or drop the role.",
  message: ({ role }) => `no handoff names the role ${quoted(role)}`,
  help: () => "declare the handoff that leads to it or away from it, or drop the role",
  check(context, report) {
    const handoffs = context.workflow?.handoffs ?? [];
    // Without any handoff every session is started from outside, which needs no declaration.
    if (handoffs.length === 0) return;
    const named = new Set(handoffs.flatMap(({ from, to }) => [from, to]));
    const shared = new Set((context.workflow?.shared_resources ?? []).map(({ alias }) => alias));
    for (const resolved of context.roles) {
      const { role } = resolved;
      if (role.name === undefined || named.has(role.name)) continue;
      // A role that is started on its own still takes part where it shares a resource.
      if (resourcesOf(resolved).some((resource) => shared.has(resource))) continue;
      report(valueSpan(role, "name"), { role: role.name });
    }
  },
});
