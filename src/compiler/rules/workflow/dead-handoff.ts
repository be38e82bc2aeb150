import { counted, quoted } from "../../../diagnostics/wording.js";
import { spanOf } from "../../../language/located.js";
import { type Handoff, type HandoffGraph, handoffGraph } from "../../facts/handoff-graph.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly from: string;
  readonly to: string;
  readonly shortage: Shortage;
}

/** A limit that is too low. */
interface Shortage {
  readonly limit: string;
  readonly most: number;
  readonly least: number;
  readonly noun: string;
}

/** What a limit means for handoffs. */
interface Bound extends Omit<Shortage, "least"> {
  readonly least: (from: string) => number;
  /** Whether a role can be entered under the limit; that it cannot is another finding. */
  readonly isEntered: (role: string) => boolean;
}

function boundsOf({ workflow }: RuleContext, graph: HandoffGraph): readonly Bound[] {
  const {
    max_sessions: sessions,
    max_active_sessions: active,
    max_open_handoffs: open,
  } = workflow?.workflow_limits ?? {};
  const bounds: Bound[] = [];
  const sessionsTo = (role: string) => graph.sessionsTo(role) ?? Number.POSITIVE_INFINITY;
  // A session without its parent can do nothing more, unless it was abandoned: then its own parent is active too.
  const others = (from: string) => (graph.isAlone(from) ? 0 : 1);
  if (sessions !== undefined) {
    const isEntered = (role: string) => sessionsTo(role) <= sessions;
    bounds.push({
      limit: "max_sessions",
      most: sessions,
      noun: "session",
      isEntered,
      least: (from) => sessionsTo(from) + 1,
    });
  }
  if (active !== undefined) {
    const isEntered = (role: string) => graph.enteredWithin(active).has(role);
    const least = (from: string) => others(from) + 2;
    bounds.push({ limit: "max_active_sessions", most: active, noun: "active session", isEntered, least });
  }
  if (open !== undefined) {
    const isEntered = (role: string) => graph.enteredWithin(open + 1).has(role);
    // The parent is an open handoff too, unless it is a root or was abandoned.
    const least = (from: string) => others(from) + (others(from) === 0 || graph.hasFreeParent(from) ? 1 : 2);
    bounds.push({ limit: "max_open_handoffs", most: open, noun: "open handoff", isEntered, least });
  }
  return bounds;
}

function shortageOf({ from, to }: Handoff, bounds: readonly Bound[]): Shortage | null {
  for (const { limit, most, noun, isEntered, least } of bounds) {
    if (!isEntered(from) || !isEntered(to) || least(from) <= most) continue;
    return { limit, most, noun, least: least(from) };
  }
  return null;
}

/** What a handoff that is never made asks for, and what it says about closing, never matters. */
export const deadHandoff = defineRule<Params>({
  code: "dead_handoff",
  stage: "graph",
  severity: "warning",
  what: "A handoff can never be made, because a limit of the workflow is reached before it; its roles can be reached without it.",
  why: "What it requires and its `parent_close_policy` never matter, although a reader takes them for rules that act.",
  fix: "Raise the limit, or drop the handoff.",
  message: ({ from, to, shortage: { limit, most, least, noun } }) =>
    `the handoff from ${quoted(from)} to ${quoted(to)} takes at least ${counted(least, noun)}, but ${quoted(limit)} is ${most}`,
  help: ({ shortage: { limit, least } }) => `raise ${quoted(limit)} to at least ${least}, or drop the handoff`,
  check(context, report) {
    const graph = handoffGraph(context);
    if (graph === null) return;
    const bounds = boundsOf(context, graph);
    for (const handoff of graph.handoffs) {
      const shortage = shortageOf(handoff, bounds);
      if (shortage !== null) report(spanOf(handoff.draft), { from: handoff.from, to: handoff.to, shortage });
    }
  },
});
