import type { Aggregate } from "../../language/schema/session.js";
import { lowerPath } from "../lower/lower-value.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { type Contribution, isSingle, toolsOf } from "./aggregate-facts.js";
import { widestOf } from "./aggregate-reach.js";
import { callOrder, commitsAtDispatch } from "./call-order.js";
import { landmarksOf } from "./landmarks.js";

/** What an aggregate limits, for the aggregates that are judged after it. */
interface Keeper {
  readonly metric: Aggregate["metric"];
  /** Null for all tools. */
  readonly tools: ReadonlySet<NamedTool> | null;
  readonly path: string | null;
  readonly gte: number;
  readonly lte: number;
}

/** At most this many earlier aggregates are used; using fewer can only miss findings. */
const MOST_KEEPERS = 50;

function keeperOf(context: RuleContext, aggregate: Aggregate): Keeper {
  const { gte, lte } = widestOf(aggregate);
  const tools = toolsOf(context, aggregate);
  return {
    metric: aggregate.metric,
    tools: tools === null ? null : new Set(tools),
    path: aggregate.path !== undefined && isSingle(aggregate) ? lowerPath(aggregate.path).text : null,
    gte: gte ?? Number.NEGATIVE_INFINITY,
    lte: lte ?? Number.POSITIVE_INFINITY,
  };
}

/** Whether a call of the tool that counts makes the next one impossible. */
function isOnce(context: RuleContext, tool: NamedTool): boolean {
  const { forbids_after: forbidden = [], transitions } = tool.contract;
  if (forbidden.includes(tool.name)) return true;
  // Any output may be rejected as not JSON or too costly to judge: the call counts then, but leads to no other phase.
  if (!commitsAtDispatch(tool) || transitions?.advances_to === undefined) return false;
  return callOrder(context).obstacle(tool, tool) === "too_late";
}

/**
 * How many calls that count a session may have, of one tool and in total; steps limit nothing, because a step may have many
 * calls. Aggregates are judged in their order, so an earlier one refuses calls before a later one is judged.
 */
export class CallLimits {
  private readonly total: number;
  private readonly perTool: ReadonlyMap<string, number>;
  private readonly earlier: Keeper[] = [];

  constructor(private readonly context: RuleContext) {
    const limits = context.session?.session_limits;
    this.total = limits?.max_tool_calls ?? Number.POSITIVE_INFINITY;
    const perTool = new Map(Object.entries(limits?.max_calls_per_tool ?? {}));
    this.perTool = new Map(context.tools.map((tool) => [tool.name, this.own(tool, perTool.get(tool.name))]));
  }

  /** From now on the aggregate counts as judged before. */
  add(aggregate: Aggregate): void {
    // Under further values there may always be further calls.
    if (aggregate.per !== undefined) return;
    if (this.earlier.length < MOST_KEEPERS) this.earlier.push(keeperOf(this.context, aggregate));
  }

  of(tool: NamedTool): number {
    return this.kept([tool], Math.min(this.total, this.perTool.get(tool.name) ?? Number.POSITIVE_INFINITY));
  }

  /** Null for all tools, also those without a contract. */
  ofAll(tools: readonly NamedTool[] | null): number {
    if (tools === null) return this.kept(null, this.total);
    const each = tools.reduce((sum, tool) => sum + this.of(tool), 0);
    return this.kept(tools, Math.min(this.total, each));
  }

  /** The contribution as limited by the earlier aggregates. */
  narrowed(contribution: Contribution, path: string): Contribution {
    let { low, high } = contribution.values;
    for (const { metric, tools, path: own, gte, lte } of this.earlier) {
      if (own !== path || !(tools?.has(contribution.tool) ?? true)) continue;
      if (metric === "max") high = Math.min(high, lte);
      if (metric === "min") low = Math.max(low, gte);
    }
    return { tool: contribution.tool, values: { low, high } };
  }

  private own(tool: NamedTool, limit: number | undefined): number {
    if (!callOrder(this.context).isCallable(tool) || landmarksOf(this.context).isNeverCalled(tool)) return 0;
    return Math.min(limit ?? Number.POSITIVE_INFINITY, isOnce(this.context, tool) ? 1 : Number.POSITIVE_INFINITY);
  }

  private kept(tools: readonly NamedTool[] | null, most: number): number {
    let least = most;
    for (const { metric, tools: counted, lte } of this.earlier) {
      if (metric !== "count" || lte >= least) continue;
      if (counted === null || (tools?.every((tool) => counted.has(tool)) ?? false)) least = lte;
    }
    // A count is a whole number and never below 0.
    return Math.max(0, Math.floor(least));
  }
}
