import { numberOf } from "../../../base/decimal.js";
import { unreachable } from "../../../base/invariant.js";
import { counted, listed, quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { type Budget, budgetsOf, exceeds, nearestEnd } from "../../facts/call-budgets.js";
import { barrierOf } from "../../facts/call-order.js";
import { landmarksOf } from "../../facts/landmarks.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule, type Report } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Shut {
  readonly kind: "shut";
  readonly tool: string;
  /** Other tools that require a prior call of it. */
  readonly waiting: readonly string[];
}

interface Exhausted extends Pick<Budget, "kind" | "name" | "most"> {
  readonly tool: string;
  readonly least: number;
}

type Params = Shut | Exhausted;

/** At most this many tools that wait for a prior call are named. */
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

function wordShut({ tool, waiting }: Shut): string {
  const shown = waiting.length > MOST_NAMES ? [...waiting.slice(0, MOST_NAMES - 1)] : waiting;
  const rest = waiting.length - shown.length;
  const names = rest > 0 ? `${shown.map(quoted).join(", ")} and ${rest} more` : listed(shown, "and");
  const verb = waiting.length === 1 ? "requires" : "require";
  return `a limit of 0 means that ${quoted(tool)} can never be called${waiting.length === 0 ? "" : `, and ${names} ${verb} a prior call of it`}`;
}

function wordExhausted({ kind, tool, name, most, least }: Exhausted): string {
  const lead = `${quoted(tool)} can never be called:`;
  switch (kind) {
    case "max_tool_calls":
      return `${lead} it takes ${counted(least, "call")}, itself included, and ${quoted(name)} is ${most}`;
    case "max_steps":
      return `${lead} it takes ${counted(least, "step")}, its own included, and ${quoted(name)} is ${most}`;
    case "aggregate":
      return `${lead} the calls it takes bring the aggregate ${quoted(name)} to ${least} or more, above ${most}`;
    default:
      return unreachable(kind);
  }
}

function checkShut(context: RuleContext, report: Report<Params>): void {
  const limits = context.session?.session_limits?.max_calls_per_tool;
  if (limits === undefined) return;
  const waiting = waitingFor(context);
  for (const [name, most] of Object.entries(limits)) {
    const tool = context.toolsByName.get(name);
    // For a tool that its gate blocks the limit changes nothing.
    if (most !== 0 || tool === undefined || barrierOf(context, tool) !== null) continue;
    report(valueSpan(limits, name), { kind: "shut", tool: name, waiting: [...(waiting.get(name) ?? [])] }, name);
  }
}

/** The least that a call of the tool needs, where that exceeds the budget. */
function tooMuchFor(budget: Budget, tool: NamedTool): number | null {
  const least = budget.ofTool(tool);
  return least !== undefined && exceeds(budget, least) ? numberOf(least) : null;
}

function checkBudget(context: RuleContext, budget: Budget, report: Report<Params>): void {
  const end = nearestEnd(context, budget);
  // Another rule reports a budget with which no session can end.
  if (end !== null && exceeds(budget, end.least)) return;
  const { kind, name, most, span } = budget;
  for (const tool of context.tools) {
    const least = tooMuchFor(budget, tool);
    if (least === null || exceeds(budget, budget.alone(tool))) continue;
    const before = landmarksOf(context).ofTool(tool) ?? [];
    // Tools that wait for this one are covered by its finding.
    if (before.some((other) => other !== tool && tooMuchFor(budget, other) !== null)) continue;
    report(span, { kind, name, most, tool: tool.name, least }, tool.name);
  }
}

/** If a limit is below the calls that a tool waits for, the tool can never be called. */
export const callLimitBelowChain = defineRule<Params>({
  code: "call_limit_below_chain",
  stage: "graph",
  severity: "warning",
  what: "A limit of the session, or the bound of an aggregate, is lower than what a call of a tool needs together with the calls that must come before it.",
  why: "The tool can never be called, nor can any tool that requires a prior call of it.",
  fix: "Raise the limit, require fewer calls before, or drop the tool.",
  message: (params) => (params.kind === "shut" ? wordShut(params) : wordExhausted(params)),
  help(params) {
    if (params.kind === "shut") return "raise the limit to at least 1, or drop the tool";
    const { kind, name, least } = params;
    return `raise ${kind === "aggregate" ? "the bound" : quoted(name)} to at least ${least}, or require less before it`;
  },
  check(context, report) {
    checkShut(context, report);
    for (const budget of budgetsOf(context)) checkBudget(context, budget, report);
  },
});
