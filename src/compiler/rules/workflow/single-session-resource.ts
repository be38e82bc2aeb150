import { quoted } from "../../../diagnostics/wording.js";
import type { Draft } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import type { WorkflowContract } from "../../../language/schema/workflow.js";
import { type HandoffGraph, handoffGraph } from "../../facts/handoff-graph.js";
import { governedRoles, sharedResources } from "../../facts/shared-resources.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly alias: string;
  readonly role: string;
  readonly limit: string;
  readonly verb: string;
}

/** The limit that leaves room for one session of the role at a time; null where two may be active. */
function limitToOne(workflow: Draft<WorkflowContract>, graph: HandoffGraph, role: string): string | null {
  const sessions = graph.sessionsTo(role);
  if (sessions === undefined) return null;
  const limits = { ...workflow.workflow_limits };
  const isBelow = (most: number | undefined, least: number) => most !== undefined && most < least;
  // Two need those on the way to the first, and one more.
  if (isBelow(limits.max_sessions, sessions + 1)) return "max_sessions";
  const isAlone = graph.isAlone(role);
  // A session starts while its parent is active, which is a third one unless it is the first of the two.
  const isPair = graph.roots.includes(role) || (isAlone && graph.isRepeated(role));
  if (isBelow(limits.max_active_sessions, isPair ? 2 : 3)) return "max_active_sessions";
  // Both sessions are open handoffs, unless the first was abandoned.
  return !isAlone && isBelow(limits.max_open_handoffs, 2) ? "max_open_handoffs" : null;
}

/** A mode keeps sessions apart, which takes two of them. */
export const singleSessionResource = defineRule<Params>({
  code: "single_session_resource",
  stage: "graph",
  severity: "warning",
  what: "Only one role has tools that the mode of a shared resource is for, and at most one session of that role can be active.",
  why: "A mode keeps sessions apart, so with one session at a time it only keeps the next one off what an ended one left unsettled; roles that should be kept apart may be missing.",
  fix: "Declare the resource in the other roles that act on it, raise the limit, or no longer share it if nothing is to wait for unsettled calls.",
  message: ({ alias, role, limit, verb }) =>
    `only sessions of ${quoted(role)} ${verb} ${quoted(alias)}, and ${quoted(limit)} leaves room for one of them at a time`,
  help: ({ alias, limit }) =>
    `declare ${quoted(alias)} in the other roles that act on it, raise ${quoted(limit)}, or no longer share it`,
  check(context, report) {
    const graph = handoffGraph(context);
    if (graph === null || context.workflow === null) return;
    for (const resource of sharedResources(context)) {
      const { alias, mode, draft } = resource;
      const [role, ...others] = governedRoles(resource);
      const limit = role === undefined || others.length > 0 ? null : limitToOne(context.workflow, graph, role);
      if (role === undefined || limit === null) continue;
      report(valueSpan(draft, "alias"), {
        alias,
        role,
        limit,
        verb: mode === "exclusive_pending" ? "touch" : "change",
      });
    }
  },
});
