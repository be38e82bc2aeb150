import type { CheckKind } from "../../artifact/check-order.js";
import { type CompiledCheck, type CompiledPack, type CompiledTool, expressionsOf } from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { readsVariable } from "../../artifact/expression-parts.js";
import { isOperator, partsOf, samplesOf } from "../../operators/index.js";
import type { SimplificationName } from "./caps.js";

/** Checks that an unsettled call affects. */
const OF_OPEN: ReadonlySet<CheckKind> = new Set([
  "phase",
  "precondition",
  "ref",
  "requires",
  "aggregate",
  "envelope",
  "forbidden_by",
]);
/** Checks for which it matters whether a failed call counts. */
const OF_FAILURES: ReadonlySet<CheckKind> = new Set([
  ...OF_OPEN,
  "max_calls_per_tool",
  "max_calls_per_step",
  "max_tool_calls",
  "loop_detection",
]);

function countsSteps(check: CompiledCheck): boolean {
  return check.kind === "precondition" || check.kind === "max_steps" || check.kind === "max_calls_per_step";
}

/** Whether a part of the pack contains an operator that passes a test. */
function mentions(part: unknown, isMeant: (operator: CompiledOperator) => boolean): boolean {
  if (typeof part !== "object" || part === null) return false;
  if (isOperator(part)) return isMeant(part);
  return Object.values(part).some((item) => mentions(item, isMeant));
}

function matchesPattern(operator: CompiledOperator): boolean {
  return samplesOf(operator).patterns.length > 0;
}

function readsEnvironment(operator: CompiledOperator): boolean {
  return partsOf(operator).variable(operator) !== null;
}

function readsTime({ checks, ensures = [] }: CompiledTool): boolean {
  const all = [...checks.flatMap(expressionsOf), ...ensures.map(({ that }) => that)];
  return all.some(({ tree }) => readsVariable(tree, "now"));
}

/** The simplifications that matter to some tools of a pack. */
export function simplificationsFor(pack: CompiledPack, names: ReadonlySet<string>): ReadonlySet<SimplificationName> {
  const tools = pack.tools.filter(({ name }) => names.has(name));
  const checks = tools.flatMap((tool) => tool.checks);
  const has = (kinds: ReadonlySet<CheckKind>) => checks.some(({ kind }) => kinds.has(kind));
  const found = new Set<SimplificationName>(["sampled_values", "states_alike"]);
  if (mentions(tools, matchesPattern) || checks.some((check) => check.kind === "schema" && hasPattern(check.schema)))
    found.add("sampled_patterns");
  if (mentions(tools, readsEnvironment)) found.add("one_environment");
  if (tools.some(readsTime)) found.add("sampled_times");
  if (checks.some(countsSteps)) found.add("few_steps");
  if (has(OF_OPEN)) found.add("few_open");
  if (has(OF_FAILURES)) found.add("few_failures");
  if (has(new Set(["checkpoint"]))) found.add("approvals_given");
  if (has(new Set(["loop_detection"]))) found.add("loops_by_next");
  if (
    checks.some((check) => check.kind === "precondition" && check.step_count !== null) ||
    hasSharedAggregate(checks, pack)
  )
    found.add("unmatched_tools");
  return found;
}

function hasSharedAggregate(checks: readonly CompiledCheck[], { aggregates }: CompiledPack): boolean {
  return checks.some((check) => check.kind === "aggregate" && aggregates[check.index]?.tools === null);
}

function hasPattern(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  if ("kind" in part && (part.kind === "pattern" || part.kind === "pattern_properties")) return true;
  return Object.values(part).some(hasPattern);
}
