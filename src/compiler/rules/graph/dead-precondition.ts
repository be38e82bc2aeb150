import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { assertWhole, type Draft } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import type { Precondition } from "../../../language/schema/tool.js";
import { callOrder, describeObstacle, type Obstacle } from "../../facts/call-order.js";
import { outputDemands } from "../../facts/output-demands.js";
import { isPossible } from "../../facts/possible-values.js";
import { demandsOf, spelling, type WrittenDemand } from "../../facts/written-demands.js";
import { lowerPath } from "../../lower/lower-value.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule, type Report } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

/** A demand on the prior output that cannot be met. */
interface Conflict {
  readonly path: string;
  readonly demand: WrittenDemand;
  /** What contradicts it; undefined where only several together leave no value. */
  readonly other: WrittenDemand | undefined;
  /** Whether only the schema of the prior tool excludes it, which the guard does not enforce. */
  readonly isPromise: boolean;
}

interface Params {
  readonly tool: string;
  readonly prior: string;
  readonly cause: Obstacle | Conflict;
}

const HELP: Readonly<Record<Obstacle, string>> = {
  refused: "open the prior tool with `gate: allow`, or remove the precondition",
  limited: "raise the limit, or remove the precondition",
  not_entered: "let a tool advance to one of its phases, or remove the precondition",
  forbids: "remove the tool from `forbids_after` of the prior tool, or remove the precondition",
  too_late: "let the prior tool come earlier or this one later, or remove the precondition",
};

function writtenDemands(draft: Draft<Precondition>): ReadonlyMap<string, readonly WrittenDemand[]> {
  const { with_output: entries = [] } = assertWhole<Precondition>(draft);
  const found = new Map<string, WrittenDemand[]>();
  for (const entry of entries) {
    const path = lowerPath(entry.path);
    // An indefinite path may match nothing, or values that differ, so it is skipped.
    if (path.kind !== "definite") continue;
    const known = found.get(path.text) ?? [];
    found.set(path.text, known);
    for (const demand of demandsOf(entry)) known.push(demand);
  }
  return found;
}

/** How many of the demands it takes, together with the facts, to leave no value. */
function conflictAt(facts: readonly WrittenDemand[], demands: readonly WrittenDemand[]): number {
  let [low, high] = [0, demands.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isPossible([...facts, ...demands.slice(0, middle + 1)])) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* conflicts(context: RuleContext, precondition: Draft<Precondition>, prior: NamedTool): Generator<Conflict> {
  const { enforced, promised } = outputDemands(context, prior);
  for (const [path, demands] of writtenDemands(precondition)) {
    const sure = enforced.get(path) ?? [];
    const all = [...sure, ...(promised.get(path) ?? [])];
    // Facts that contradict each other are reported for the prior tool.
    if (isPossible([...all, ...demands]) || !isPossible(all)) continue;
    const isPromise = isPossible([...sure, ...demands]);
    const facts = isPromise ? all : sure;
    const at = conflictAt(facts, demands);
    const demand = demands[at];
    if (demand === undefined) continue;
    const other = [...facts, ...demands.slice(0, at)].find((earlier) => !isPossible([earlier, demand]));
    yield { path, demand, other, isPromise };
  }
}

function checkTool(context: RuleContext, tool: NamedTool, report: Report<Params>): void {
  const add = (span: Span, prior: string, cause: Params["cause"]) =>
    report(span, { tool: tool.name, prior, cause }, tool.name);
  for (const precondition of tool.contract.preconditions ?? []) {
    const prior = context.toolsByName.get(precondition.requires_prior_tool ?? "");
    // A tool that requires itself is a cycle.
    if (prior === undefined || prior === tool) continue;
    const obstacle = callOrder(context).obstacle(prior, tool);
    // A limit of 0 is reported at its own place.
    if (obstacle === "limited") continue;
    if (obstacle !== null) add(valueSpan(precondition, "requires_prior_tool"), prior.name, obstacle);
    else for (const found of conflicts(context, precondition, prior)) add(found.demand.span, prior.name, found);
  }
}

/** A precondition that nothing can satisfy blocks its tool permanently. */
export const deadPrecondition = defineRule<Params>({
  code: "dead_precondition",
  stage: "graph",
  severity: "warning",
  what: "A tool requires a prior call that can never have happened before it, or an output that such a call never has.",
  why: "The precondition never holds, so every call of the tool is refused; where only a schema excludes the output, as long as the prior tool satisfies it.",
  fix: "Make the prior call possible earlier in the session, correct `with_output`, or remove the precondition.",
  message({ tool, prior, cause }) {
    const never = `${quoted(tool)} can never be called`;
    if (typeof cause === "string") return `${never}: ${describeObstacle(cause, prior, tool)}`;
    const { path, demand, other, isPromise } = cause;
    const lead = isPromise ? `${quoted(tool)} can only be called if ${quoted(prior)} breaks its output schema` : never;
    const outputs = isPromise ? "no output that fits" : `no output of ${quoted(prior)}`;
    const met =
      other === undefined
        ? `meets ${quoted(spelling(demand))} and everything else`
        : `meets both ${quoted(spelling(other))} and ${quoted(spelling(demand))}`;
    return `${lead}: ${outputs} ${met} at ${quoted(path)}`;
  },
  help: ({ cause }) => (typeof cause === "string" ? HELP[cause] : "correct `with_output`, or remove the precondition"),
  related({ cause }) {
    if (typeof cause === "string" || cause.other === undefined) return [];
    return [{ span: cause.other.span, message: `${quoted(spelling(cause.other))} is demanded here` }];
  },
  check(context, report) {
    for (const tool of context.tools) {
      // Other rules report a tool that can never be called.
      if (callOrder(context).isCallable(tool)) checkTool(context, tool, report);
    }
  },
});
