import { listed, quoted } from "../../diagnostics/wording.js";
import { valueSpan } from "../../language/located.js";
import { barrierOf } from "../facts/call-order.js";
import { defineRule } from "../rule.js";
import type { RuleContext } from "../rule-context.js";

interface Params {
  readonly tool: string;
  /** Other tools that require a prior call of it. */
  readonly waiting: readonly string[];
}

/** So many of the tools that wait for a prior call are named. */
const MOST_NAMES = 3;

function waitingFor({ tools }: RuleContext): ReadonlyMap<string, ReadonlySet<string>> {
  const waiting = new Map<string, Set<string>>();
  for (const { name, contract } of tools) {
    for (const { requires_prior_tool: prior } of contract.preconditions ?? []) {
      if (prior !== undefined && prior !== name) waiting.set(prior, (waiting.get(prior) ?? new Set()).add(name));
    }
  }
  return waiting;
}

/** A limit of no calls shuts the tool, and every tool that requires its call. */
export const callLimitBelowChain = defineRule<Params>({
  code: "call_limit_below_chain",
  stage: "graph",
  severity: "warning",
  what: "`max_calls_per_tool` allows no call at all of a tool.",
  why: "The tool can never be called, nor can any tool that requires a prior call of it.",
  mend: "Raise the limit to at least 1, or drop the tool.",
  message({ tool, waiting }) {
    const shown = waiting.length > MOST_NAMES ? [...waiting.slice(0, MOST_NAMES - 1)] : waiting;
    const rest = waiting.length - shown.length;
    const names = rest > 0 ? `${shown.map(quoted).join(", ")} and ${rest} more` : listed(shown, "and");
    const verb = waiting.length === 1 ? "requires" : "require";
    return `a limit of 0 means that ${quoted(tool)} can never be called${waiting.length === 0 ? "" : `, and ${names} ${verb} a prior call of it`}`;
  },
  help: () => "raise the limit to at least 1, or drop the tool",
  check(context, report) {
    const limits = context.session?.session_limits?.max_calls_per_tool;
    if (limits === undefined) return;
    const waiting = waitingFor(context);
    for (const [name, most] of Object.entries(limits)) {
      const tool = context.toolsByName.get(name);
      // For a tool whose gate is shut the limit changes nothing.
      if (most !== 0 || tool === undefined || barrierOf(context, tool) !== null) continue;
      report(valueSpan(limits, name), { tool: name, waiting: [...(waiting.get(name) ?? [])] }, name);
    }
  },
});
