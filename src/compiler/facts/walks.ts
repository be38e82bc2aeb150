import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { argumentDemands } from "./argument-demands.js";
import { callOrder } from "./call-order.js";
import type { Move } from "./pack-graph.js";
import { isPossible } from "./possible-values.js";

/** How a session reached a phase: by a call of a tool in an earlier phase, or by its start. */
export interface Arrival {
  readonly phase: string;
  readonly calls: number;
  readonly before: { readonly arrival: Arrival; readonly tool: string } | null;
}

/** The arrivals of a walk, its end first. */
function* backwards(end: Arrival): Generator<Arrival> {
  for (let at: Arrival | undefined = end; at !== undefined; at = at.before?.arrival) yield at;
}

/** The phases of a walk, from the first to the last. */
export function phasesOf(end: Arrival): readonly string[] {
  return [...backwards(end)].map(({ phase }) => phase).reverse();
}

function isDeniedToAll({ session }: RuleContext, { name, contract }: NamedTool): boolean {
  const { rules = [], default_deny: isDenied = false } = session?.policy ?? {};
  const covers = (entry: { readonly tools?: readonly string[] } | undefined) =>
    entry !== undefined && (entry.tools?.includes(name) ?? true);
  if (rules.some(({ deny }) => deny?.principal === undefined && covers(deny))) return true;
  const isAllowed = (contract.policy?.allow ?? []).length > 0 || rules.some(({ allow }) => covers(allow));
  return isDenied && !isAllowed;
}

/** Whether the tool compares a value with one that an earlier call must have set. */
function comparesWithEarlier({ session }: RuleContext, { name, contract }: NamedTool): boolean {
  if ((contract.argument_value_invariants ?? []).some(({ ref }) => ref !== undefined)) return true;
  return (session?.envelopes ?? []).some(({ stages }) =>
    stages?.some(({ tool, role, source }) => tool === name && role === "constrained" && source !== "output"),
  );
}

/**
 * The paths through the phases that sessions can take. Unlike the order of calls it underestimates what is possible: a
 * tool that may lack something on the path is not followed.
 */
export class Walks {
  private readonly leaving = new Map<string, Move[]>();
  private readonly mostCalls: number;

  constructor(private readonly context: RuleContext) {
    const limits = context.session?.session_limits;
    this.mostCalls = Math.min(limits?.max_tool_calls ?? Infinity, limits?.max_steps ?? Infinity);
    const forbidden = new Set(
      context.tools.flatMap(({ name, contract }) => (contract.forbids_after ?? []).filter((other) => other !== name)),
    );
    const sure = new Map<string, boolean>();
    for (const move of context.graph().moves) {
      const tool = context.toolsByName.get(move.tool);
      if (tool === undefined) continue;
      const isSure = sure.get(tool.name) ?? (!forbidden.has(tool.name) && this.isSure(tool));
      sure.set(tool.name, isSure);
      if (!isSure) continue;
      const known = this.leaving.get(move.from);
      if (known === undefined) this.leaving.set(move.from, [move]);
      else known.push(move);
    }
  }

  /** A shortest path to each phase that can be reached without entering one of the phases to avoid, nearest first. */
  around(avoided: ReadonlySet<string>): ReadonlyMap<string, Arrival> {
    const { initial } = this.context.graph();
    const arrivals = new Map<string, Arrival>();
    if (initial === null || avoided.has(initial) || this.mostCalls < 1) return arrivals;
    arrivals.set(initial, { phase: initial, calls: 0, before: null });
    // Iterating a map also visits entries added meanwhile, so this is breadth first.
    for (const [phase, arrival] of arrivals) {
      // One call is reserved for the tool that the walk is for.
      if (arrival.calls + 2 > this.mostCalls) break;
      for (const { to, tool } of this.leaving.get(phase) ?? []) {
        if (arrivals.has(to) || avoided.has(to) || !this.hasPriors(tool, arrival)) continue;
        arrivals.set(to, { phase: to, calls: arrival.calls + 1, before: { arrival, tool } });
      }
    }
    return arrivals;
  }

  /** Whether only its phases and its prior tools can cause every call of the tool to be refused. */
  private isSure(tool: NamedTool): boolean {
    if (!callOrder(this.context).isCallable(tool) || isDeniedToAll(this.context, tool)) return false;
    if (comparesWithEarlier(this.context, tool)) return false;
    const preconditions = tool.contract.preconditions ?? [];
    const isPlain = preconditions.every(
      ({ with_output: output, resource, requires_step_count: steps }) =>
        output === undefined && resource === undefined && this.hasSteps(steps?.gte ?? 0),
    );
    return isPlain && [...argumentDemands(this.context, tool).values()].every(isPossible);
  }

  /** Steps can be opened without a call, up to their limit; the walk itself needs some too. */
  private hasSteps(least: number): boolean {
    const most = this.context.session?.session_limits?.max_steps ?? Infinity;
    return least === 0 || least + this.context.graph().phases.length < most;
  }

  private hasPriors(tool: string, end: Arrival): boolean {
    const preconditions = this.context.toolsByName.get(tool)?.contract.preconditions ?? [];
    const priors = preconditions.flatMap(({ requires_prior_tool: prior }) => prior ?? []);
    if (priors.length === 0) return true;
    const called = new Set([...backwards(end)].map(({ before }) => before?.tool));
    return priors.every((prior) => called.has(prior));
  }
}
