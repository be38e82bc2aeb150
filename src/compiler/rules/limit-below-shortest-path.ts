import { counted, quoted } from "../../diagnostics/wording.js";
import { valueSpan } from "../../language/located.js";
import { callOrder } from "../facts/call-order.js";
import { defineRule } from "../rule.js";
import type { RuleContext } from "../rule-context.js";

interface Params {
  readonly limit: string;
  readonly max: number;
  readonly least: number;
  readonly phase: string;
}

/** The terminal phase that the fewest calls lead to. */
function nearestEnd(context: RuleContext): { readonly phase: string; readonly calls: number } | null {
  const { terminal } = context.graph();
  // Breadth first, so the first one is the nearest.
  for (const [phase, calls] of callOrder(context).distances) if (terminal.has(phase)) return { phase, calls };
  return null;
}

/** A session that runs out of calls before it can end never ends well. */
export const limitBelowShortestPath = defineRule<Params>({
  code: "limit_below_shortest_path",
  stage: "graph",
  severity: "warning",
  what: "A limit of the session is lower than the number of calls that the shortest way to a terminal phase takes.",
  why: "The limit is reached before the session can end, so no session ever reaches a terminal phase.",
  mend: "Raise the limit, or shorten the way to a terminal phase.",
  message: ({ limit, max, least, phase }) =>
    `${quoted(limit)} is ${max}, but the nearest terminal phase ${quoted(phase)} is ${counted(least, "call")} away`,
  help: ({ limit, least }) => `raise ${quoted(limit)} to at least ${limit === "max_steps" ? 1 : least}`,
  check(context, report) {
    const limits = context.session?.session_limits;
    const end = nearestEnd(context);
    if (limits === undefined || end === null) return;
    const { phase, calls: least } = end;
    const { max_tool_calls: calls, max_steps: steps } = limits;
    if (calls !== undefined && calls < least) {
      report(valueSpan(limits, "max_tool_calls"), { limit: "max_tool_calls", max: calls, least, phase });
    }
    // One step may hold all the calls of the way, so only a limit of 0 is certainly too low.
    if (steps === 0 && least > 0) report(valueSpan(limits, "max_steps"), { limit: "max_steps", max: 0, least, phase });
  },
});
