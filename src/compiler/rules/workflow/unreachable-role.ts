import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { handoffGraph } from "../../facts/handoff-graph.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly role: string;
  readonly from: string;
}

/** A role that is the target of a handoff starts by a handoff only, so somebody must be there to make it. */
export const unreachableRole = defineRule<Params>({
  code: "unreachable_role",
  stage: "graph",
  severity: "warning",
  what: "Handoffs lead to a role, and none of them comes from a role that a session can ever have.",
  why: "A role that is the target of a handoff starts by a handoff only, so no session ever has this one.",
  fix: "Declare a handoff to it from a role that is reached, or remove the handoffs to it so that it starts on its own.",
  message: ({ role }) => `no session can ever have the role ${quoted(role)}`,
  help: ({ from }) =>
    `it starts by a handoff only, and ${quoted(from)} is never reached; declare a handoff from a role that is`,
  check(context, report) {
    const graph = handoffGraph(context);
    if (graph === null) return;
    const fromOf = new Map(graph.handoffs.filter(({ from, to }) => from !== to).map(({ from, to }) => [to, from]));
    // The roles of a cycle are the cause, and another finding.
    const cyclic = new Set(graph.cyclesWithoutRoot().flat());
    for (const { role } of context.roles) {
      const { name } = role;
      if (name === undefined || cyclic.has(name) || graph.sessionsTo(name) !== undefined) continue;
      report(valueSpan(role, "name"), { role: name, from: fromOf.get(name) ?? "" });
    }
  },
});
