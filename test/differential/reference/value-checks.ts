import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Aggregate, Envelope, Stage } from "../../../src/language/schema/session.js";
import { perOf } from "./additions.js";
import { all, type Check, type Result, type Situation } from "./check.js";
import { type Decimal, decimal, isAtMost, isWithin, sum } from "./decimal.js";
import { canonical } from "./json.js";
import { judgeValue } from "./judge.js";
import type { Pack } from "./model.js";
import { select, valueAt } from "./select.js";
import { type Held, referenceIn, slotIn, type World } from "./worlds.js";

/** Whether calls of the tool belong to the aggregate. */
export function concerns({ tool: whose }: Aggregate, tool: string): boolean {
  return whose === "*" || (typeof whose === "string" ? whose === tool : whose.includes(tool));
}

type CallText = { readonly tool: string; readonly args: JsonObject };

/** What calls contribute: all that the path matches; `count` looks at no path. */
function contributions({ metric, path }: Aggregate, calls: readonly CallText[]): readonly Json[] {
  if (metric === "count" || path === undefined) return calls.map(() => 1);
  return calls.flatMap(({ args }) => select(path, args));
}

/** The value of an aggregate over some calls; null where there is nothing to take the largest or smallest of. */
export function aggregateValue(aggregate: Aggregate, calls: readonly CallText[]): Decimal | null {
  const found = contributions(
    aggregate,
    calls.filter(({ tool }) => concerns(aggregate, tool)),
  );
  const numbers = found.filter((value) => typeof value === "number");
  switch (aggregate.metric) {
    case "count":
      return decimal(found.length);
    case "count_distinct":
      return decimal(new Set(found.map(canonical)).size);
    case "sum":
      return sum(numbers);
    case "max":
      return numbers.length === 0 ? null : decimal(Math.max(...numbers));
    case "min":
      return numbers.length === 0 ? null : decimal(Math.min(...numbers));
  }
}

/** Whether this call can be added up: with named tools its path finds something, and sums want numbers. */
function isJudgeable(aggregate: Aggregate, call: CallText): boolean {
  const { metric, tool } = aggregate;
  const own = contributions(aggregate, [call]);
  if (own.length === 0 && tool !== "*") return false;
  return metric === "count" || metric === "count_distinct" || own.every((value) => typeof value === "number");
}

type Bounds = Pick<Aggregate, "gte" | "lte">;

/** The bounds in a world: those of the first `when` entry that is true, one by one, else the base bounds. */
function boundsIn(pack: Pack, aggregate: Aggregate, world: World): Bounds | "unknown" | "unjudgeable" {
  for (const { binding, then_gte, then_lte, ...condition } of aggregate.when ?? []) {
    const slot = slotIn(pack, world, binding);
    if (slot.kind === "unset") continue;
    if (slot.kind === "unknown") return "unknown";
    const judgement = judgeValue(condition, slot.value, {});
    if (judgement === "unjudgeable") return "unjudgeable";
    if (judgement === "false") continue;
    const [gte, lte] = [then_gte ?? aggregate.gte, then_lte ?? aggregate.lte];
    return { ...(gte === undefined ? {} : { gte }), ...(lte === undefined ? {} : { lte }) };
  }
  return aggregate;
}

/** How many values an aggregate is computed for at most. */
const MOST_VALUES = 10_000;

/** The value that a call is counted under, as text; undefined where it has none that can be one. */
export function valueOfPer(per: string, { args }: CallText): string | undefined {
  const value = valueAt(per, args);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? canonical(value)
    : undefined;
}

/** The calls that are counted together with this one, or why there are none. */
function together(aggregate: Aggregate, call: CallText, world: World): readonly CallText[] | Result {
  const per = perOf(aggregate);
  if (per === null) return world.counted;
  const value = valueOfPer(per, call);
  if (value === undefined) return "aggregate_unjudgeable";
  const concerned = world.counted.filter(({ tool }) => concerns(aggregate, tool));
  const values = new Set(concerned.flatMap((other) => valueOfPer(per, other) ?? []));
  if (!values.has(value) && values.size >= MOST_VALUES) return "aggregate_full";
  return concerned.filter((other) => valueOfPer(per, other) === value);
}

/** Check 14, in one world: the value with this call within the bounds. */
function judgeAggregate({ pack, tool, args }: Situation, aggregate: Aggregate, world: World): Result {
  if (!isJudgeable(aggregate, { tool, args })) return "aggregate_unjudgeable";
  const others = together(aggregate, { tool, args }, world);
  if (typeof others === "string") return others;
  const bounds = boundsIn(pack, aggregate, world);
  if (bounds === "unjudgeable") return "aggregate_unjudgeable";
  if (bounds === "unknown") return "unknown";
  const value = aggregateValue(aggregate, [...others, { tool, args }]);
  if (value === null) return "pass";
  if (bounds.gte !== undefined && !isAtMost(decimal(bounds.gte), value)) return "aggregate_exceeded";
  return bounds.lte === undefined || isAtMost(value, decimal(bounds.lte)) ? "pass" : "aggregate_exceeded";
}

const ENVELOPE_REASONS = ["envelope_unset", "envelope_violated"] as const;

/** One comparison of a constrained value with one reference. */
function compare(
  value: Json | undefined,
  reference: Held,
  holds: (value: number, reference: number) => boolean,
): Result {
  if (reference.kind === "unset") return "envelope_unset";
  if (reference.kind === "unknown") return "unknown";
  if (typeof value !== "number" || typeof reference.value !== "number") return "envelope_violated";
  return holds(value, reference.value) ? "pass" : "envelope_violated";
}

/** A constrained value against the references of a world. */
function judgeConstrained(envelope: Envelope, value: Json | undefined, world: World): Result {
  const against = (roles: readonly Stage["role"][], holds: (value: number, reference: number) => boolean): Result =>
    compare(value, referenceIn(world, envelope, roles), holds);
  const below = (a: number, b: number): boolean => a <= b;
  const above = (a: number, b: number): boolean => a >= b;
  switch (envelope.constraint) {
    case "lte_ceiling":
      return against(["ceiling"], below);
    case "gte_floor":
      return against(["floor"], above);
    case "bounded":
      return all(ENVELOPE_REASONS, [against(["floor"], above), against(["ceiling"], below)]);
    case "within_band":
      return against(["anchor"], (a, b) => isWithin(a, b, envelope.band ?? 0));
    case "monotonic_decrease":
      return against(["initial", "constrained"], below);
    case "monotonic_increase":
      return against(["initial", "constrained"], above);
  }
}

/** The results of the constrained stages that read a source of a call, judged against the references of a world. */
export function judgeStages(
  envelope: Envelope,
  call: { readonly tool: string; readonly source: "arguments" | "output"; readonly value: Json },
  world: World,
): readonly Result[] {
  return envelope.stages
    .filter(({ tool, role }) => tool === call.tool && role === "constrained")
    .filter(({ source = "arguments" }) => source === call.source)
    .map(({ path }) => judgeConstrained(envelope, valueAt(path, call.value), world));
}

/** Checks 14 and 15; a count looks at no arguments. */
export function* valueChecks(situation: Situation): Generator<Check> {
  const { pack, tool, args } = situation;
  for (const aggregate of pack.session?.aggregates ?? []) {
    if (!concerns(aggregate, tool)) continue;
    yield {
      reasons: ["aggregate_unjudgeable", "aggregate_full", "aggregate_exceeded"],
      hides: aggregate.metric === "count" && perOf(aggregate) === null,
      because: aggregate.reason,
      judge: (world) => judgeAggregate(situation, aggregate, world),
    };
  }
  for (const envelope of pack.session?.envelopes ?? []) {
    yield {
      reasons: ENVELOPE_REASONS,
      hides: false,
      because: envelope.reason,
      judge: (world) => all(ENVELOPE_REASONS, judgeStages(envelope, { tool, source: "arguments", value: args }, world)),
    };
  }
}
