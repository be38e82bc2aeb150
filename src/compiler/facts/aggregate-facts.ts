import type { Interval } from "../../domain/every-member.js";
import { assertWhole } from "../../language/draft.js";
import type { Aggregate, AggregateOverride } from "../../language/schema/session.js";
import { lowerPath } from "../lower/lower-value.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { acceptedNumbers } from "./argument-demands.js";

/** Bounds that may be in force: those of the aggregate itself, or those while an override matches. */
export interface Bounds {
  readonly gte: number | null;
  readonly lte: number | null;
  readonly override: AggregateOverride | null;
}

/** What one call of a tool may add to an aggregate. */
export interface Contribution {
  readonly tool: NamedTool;
  readonly values: Interval;
}

/** The aggregates of a pack without errors. */
export function aggregatesOf({ session }: RuleContext): readonly Aggregate[] {
  return assertWhole<readonly Aggregate[]>(session?.aggregates ?? []);
}

/** All bounds that may be in force, those of the aggregate itself first. */
export function boundsOf({ gte, lte, when }: Aggregate): readonly Bounds[] {
  const base = { gte: gte ?? null, lte: lte ?? null, override: null };
  const overrides = (when ?? []).map((override) => ({
    gte: override.then_gte ?? base.gte,
    lte: override.then_lte ?? base.lte,
    override,
  }));
  return [base, ...overrides];
}

/** The tools that an aggregate names; null for all, also those without a contract. */
export function toolsOf({ toolsByName }: RuleContext, { tool }: Aggregate): readonly NamedTool[] | null {
  if (tool === "*") return null;
  const names = new Set(typeof tool === "string" ? [tool] : tool);
  return [...names].flatMap((name) => toolsByName.get(name) ?? []);
}

/** Whether the path of an aggregate finds at most one value a call. */
export function isSingle({ path }: Aggregate): boolean {
  return path !== undefined && lowerPath(path).kind === "definite";
}

/** The number that a call of each tool adds; null where a call may add several, none, or anything. */
export function contributionsTo(context: RuleContext, aggregate: Aggregate): readonly Contribution[] | null {
  const tools = toolsOf(context, aggregate);
  if (tools === null || aggregate.path === undefined || !isSingle(aggregate)) return null;
  const path = lowerPath(aggregate.path).text;
  const found: Contribution[] = [];
  for (const tool of tools) {
    const values = acceptedNumbers(context, tool, path);
    // A tool that accepts no number there is reported by another rule.
    if (values === null) return null;
    found.push({ tool, values });
  }
  return found;
}
