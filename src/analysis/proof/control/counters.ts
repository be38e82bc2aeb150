import type { CompiledPack } from "../../../artifact/compiled.js";
import { checksOf } from "../../model/checks-of.js";
import { addedBy, type CallKind, widest } from "./call-facts.js";
import { MOST } from "./most.js";

/** How often, or with how much, calls count for one rule. */
export interface Counter {
  /** Where the rule stands: a check, an aggregate, or the tool whose calls forbid others. */
  readonly of:
    | { readonly kind: "calls"; readonly tool: string | null; readonly most: number }
    | { readonly kind: "aggregate"; readonly index: number }
    | { readonly kind: "forbidding"; readonly tool: string };
  /** What each call adds at least. */
  readonly weights: ReadonlyMap<string, number>;
  readonly most: number;
  /** Every call that counts is judged, so that calls never exceed it. */
  readonly isLimit: boolean;
}

export function exceeds(sum: number, most: number): boolean {
  return sum > most + MOST.rounding * Math.max(1, Math.abs(most));
}

/** How many more calls fit below a limit. */
export function roomFor(weight: number, used: number, most: number): number {
  if (weight <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor((most - used + MOST.rounding * Math.max(1, Math.abs(most))) / weight));
}

/** Everything that counts calls in a pack. */
export function countersOf(pack: CompiledPack): readonly Counter[] {
  return [...limitsOf(pack), ...sumsOf(pack), ...forbiddingIn(pack)];
}

function limitsOf({ tools }: CompiledPack): readonly Counter[] {
  const own = tools.flatMap(({ name, checks }) =>
    checksOf(checks, "max_calls_per_tool").map(({ max: most }): Counter => {
      const of = { kind: "calls", tool: name, most } as const;
      return { of, weights: new Map([[name, 1]]), most, isLimit: true };
    }),
  );
  const bounds = new Set(tools.flatMap(({ checks }) => checksOf(checks, "max_tool_calls").map(({ max }) => max)));
  const common = [...bounds].map((most): Counter => {
    const judged = tools.filter(({ checks }) => checksOf(checks, "max_tool_calls").some(({ max }) => max === most));
    const weights = new Map(judged.map(({ name }) => [name, 1]));
    return { of: { kind: "calls", tool: null, most }, weights, most, isLimit: true };
  });
  return [...own, ...common];
}

/** Counts and sums that no call can lower. */
function sumsOf(pack: CompiledPack): readonly Counter[] {
  return pack.aggregates.flatMap((aggregate, index): readonly Counter[] => {
    const { metric, tools: named, per } = aggregate;
    const { lte: most } = widest(aggregate);
    if (most === null || per !== undefined || (metric !== "count" && metric !== "sum")) return [];
    const judged = pack.tools.filter(({ checks }) =>
      checksOf(checks, "aggregate").some((check) => check.index === index),
    );
    const weights = new Map(judged.map((tool) => [tool.name, addedBy({ tool, further: [] }, aggregate).low]));
    const isComplete = named === null ? metric === "count" : named.every((name) => weights.has(name));
    if (!isComplete || [...weights.values()].some((weight) => weight < 0)) return [];
    return [{ of: { kind: "aggregate", index }, weights, most, isLimit: true }];
  });
}

function forbiddingIn({ tools }: CompiledPack): readonly Counter[] {
  const names = tools.flatMap(({ checks }) => checksOf(checks, "forbidden_by").flatMap((check) => check.tools));
  return [...new Set(names.map(({ tool }) => tool))].map((tool) => ({
    of: { kind: "forbidding", tool },
    weights: new Map([[tool, 1]]),
    most: 1,
    isLimit: false,
  }));
}

/** What a call of a kind adds where a counter judges it; null where it does not. */
export function judgedBy({ of, weights }: Counter, kind: CallKind, { aggregates }: CompiledPack): number | null {
  const { name, checks } = kind.tool;
  if (of.kind === "forbidding")
    return checksOf(checks, "forbidden_by").some((check) => check.tools.some(({ tool }) => tool === of.tool))
      ? 1
      : null;
  const weight = weights.get(name);
  if (weight === undefined) return null;
  const aggregate = of.kind === "aggregate" ? aggregates[of.index] : undefined;
  return aggregate === undefined ? weight : Math.max(weight, addedBy(kind, aggregate).low);
}
