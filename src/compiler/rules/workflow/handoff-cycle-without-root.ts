import type { Span } from "../../../diagnostics/source.js";
import { listed, quoted } from "../../../diagnostics/wording.js";
import { spanOf, valueSpan } from "../../../language/located.js";
import { handoffGraph } from "../../facts/handoff-graph.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly roles: readonly string[];
  /** The handoffs of the cycle that lead to its first role. */
  readonly closing: readonly Span[];
}

/** Roles that wait for each other's handoff: none of them can be the first. */
export const handoffCycleWithoutRoot = defineRule<Params>({
  code: "handoff_cycle_without_root",
  stage: "graph",
  severity: "error",
  what: "Roles hand off to each other in a cycle, and no role that starts on its own leads to them.",
  why: "A role that is the target of a handoff starts by a handoff only, so none of them can ever be the first, and every start is refused.",
  fix: "Declare a handoff to one of them from a role that starts on its own, or remove the one that closes the cycle.",
  message: ({ roles }) =>
    roles.length === 1
      ? `the role ${quoted(roles[0] ?? "")} starts only by a handoff from itself, so it never starts`
      : `the roles ${listed(roles, "and")} start only by handoffs from each other, so none of them ever starts`,
  help: ({ roles }) =>
    `declare a handoff to ${quoted(roles[0] ?? "")} from a role that starts on its own, or remove the handoff that closes the cycle`,
  related: ({ closing }) => closing.map((span) => ({ span, message: "a handoff of the cycle is here" })),
  check(context, report) {
    const graph = handoffGraph(context);
    const roles = new Map(context.roles.map(({ role }) => [role.name, role]));
    for (const cycle of graph?.cyclesWithoutRoot() ?? []) {
      const first = roles.get(cycle[0]);
      if (graph === null || first === undefined) continue;
      const members = new Set(cycle);
      const closing = graph.handoffs.filter(({ from, to }) => members.has(from) && to === first.name);
      report(valueSpan(first, "name"), { roles: cycle, closing: closing.map(({ draft }) => spanOf(draft)) });
    }
  },
});
