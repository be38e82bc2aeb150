import { counted, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { type HandoffGraph, handoffGraph } from "../../facts/handoff-graph.js";
import { defineRule } from "../../rule.js";

const WORDS = {
  max_sessions: "session",
  max_active_sessions: "active session",
  max_open_handoffs: "open handoff",
} as const;
type Limit = keyof typeof WORDS;

interface Params extends Need {
  readonly limit: Limit;
  readonly most: number;
}

/** A role that needs more than a limit allows; no other needs more. */
interface Need {
  readonly role: string;
  readonly least: number;
}

/** The role that is the most sessions away from a start. */
function farthest(graph: HandoffGraph): Need {
  return graph.roles.reduce<Need>(
    (far, role) => {
      const least = graph.sessionsTo(role) ?? 0;
      return least > far.least ? { role, least } : far;
    },
    { role: "", least: 0 },
  );
}

/** The role that needs the most sessions at the same time; null where `most` are enough for all. */
function deepest(graph: HandoffGraph, most: number): Need | null {
  const all = graph.enteredWithin(graph.roles.length).size;
  let [low, high] = [most, graph.roles.length];
  if (high <= low || graph.enteredWithin(low).size === all) return null;
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (graph.enteredWithin(middle).size === all) high = middle;
    else low = middle;
  }
  const enough = graph.enteredWithin(high);
  const few = graph.enteredWithin(high - 1);
  const role = graph.roles.find((name) => enough.has(name) && !few.has(name)) ?? "";
  return { role, least: high };
}

const NEEDS: { readonly [K in Limit]: (graph: HandoffGraph, most: number) => Need | null } = {
  max_sessions(graph, most) {
    const need = farthest(graph);
    return need.least > most ? need : null;
  },
  max_active_sessions: deepest,
  // Every session of a chain but its first came by a handoff that is still open.
  max_open_handoffs(graph, most) {
    const need = deepest(graph, most + 1);
    return need === null ? null : { ...need, least: need.least - 1 };
  },
};

/** A limit that is used up on the way to a role keeps every session of that role from starting. */
export const workflowLimitBelowRoles = defineRule<Params>({
  code: "workflow_limit_below_roles",
  stage: "graph",
  severity: "warning",
  what: "A limit of the workflow is lower than what the shortest way to some role needs, where every parent waits for its child.",
  why: "The limit is reached before the handoff to that role, so it is refused.",
  fix: "Raise the limit, or shorten the chain of handoffs that leads to the role.",
  message: ({ limit, most, role, least }) =>
    `${quoted(limit)} is ${most}, but it takes ${counted(least, WORDS[limit])} to reach the role ${quoted(role)}`,
  help: ({ limit, least }) => `raise ${quoted(limit)} to at least ${least}`,
  check(context, report) {
    const graph = handoffGraph(context);
    const limits = context.workflow?.workflow_limits;
    if (graph === null || limits === undefined) return;
    for (const limit of ["max_sessions", "max_active_sessions", "max_open_handoffs"] as const) {
      const most = limits[limit];
      const need = most === undefined ? null : NEEDS[limit](graph, most);
      if (most !== undefined && need !== null) report(valueSpan(limits, limit), { limit, most, ...need });
    }
  },
});
