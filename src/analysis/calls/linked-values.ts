import {
  type CheckOf,
  type CompiledAggregate,
  type CompiledPack,
  type CompiledTool,
  pathConditions,
} from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Environment } from "../../guard/values/judge-value.js";
import { readDefinite } from "../../guard/values/read-path.js";
import { samplesOf } from "../../operators/index.js";
import { first } from "../model/caps.js";
import { checksOf } from "../model/checks-of.js";
import {
  junction,
  place,
  type Samples,
  type Side,
  slotPlace,
  type ValueBudget,
  ValueClasses,
} from "../state/value-classes.js";
import { breakingValues, satisfyingValues } from "../values/operator-values.js";
import {
  entitiesOf,
  type Judging,
  linkCheckpoints,
  linkEntities,
  linkOutputs,
  linkPrior,
  operatorsOf,
  repeatedPaths,
} from "./earlier-values.js";

export type { Side } from "../state/value-classes.js";

/** Sample values at the paths of one tool's arguments or output, by the text of the path. */
export type ValuesByPath = ReadonlyMap<string, readonly Json[]>;

/** Values on both sides of an operator's bounds. */
function boundValues(operator: CompiledOperator): readonly Json[] {
  const { values, lower, upper, steps } = samplesOf(operator);
  return [
    ...first(values, "values_linked"),
    ...lower.flatMap((bound) => [bound, bound + 1, bound - 1]),
    ...upper.flatMap((bound) => [bound, bound - 1, bound + 1]),
    ...steps,
  ];
}

function linkRef(classes: ValueClasses, tool: CompiledTool, { path, slot, tolerance }: CheckOf<"ref">): void {
  const at = place(tool.name, "arguments", path);
  classes.join(at, slotPlace(slot));
  // A different entity would break other rules too.
  const isBound = entitiesOf(tool).has(path.text);
  classes.use(at).repeating.set(at.text, isBound ? Number.POSITIVE_INFINITY : (tolerance ?? 0));
}

/** The bounds that a single call must meet. */
function boundsOfOne({ metric, gte, lte, when }: CompiledAggregate): readonly number[] {
  const lower = [gte, ...when.map(({ then_gte: bound }) => bound)];
  const upper = metric === "sum" ? [] : [lte, ...when.map(({ then_lte: bound }) => bound)];
  return [...lower, ...upper].filter((bound) => bound !== null);
}

/** Values beyond each bound: above it, and below. */
function beyond({ gte, lte, when }: CompiledAggregate): readonly (readonly number[])[] {
  const upper = [lte, ...when.map(({ then_lte: bound }) => bound)].filter((bound) => bound !== null);
  const lower = [gte, ...when.map(({ then_gte: bound }) => bound)].filter((bound) => bound !== null);
  return [
    ...upper.map((bound) => [bound + 1, bound + 0.5, 2 * bound, 2 * bound + 1]),
    ...lower.map((bound) => [bound - 1, bound - 0.5, bound / 2, 0]),
  ];
}

/** Values just within a bound that is exceeded when two calls with the same value are summed. */
function within({ metric, path, lte, tools: named }: CompiledAggregate, tool: CompiledTool, { tools }: CompiledPack) {
  if (metric !== "sum" || lte === null) return [];
  const slots = checksOf(tool.checks, "ref").flatMap((check) => (check.path.text === path?.text ? [check.slot] : []));
  const isAdded = tools.some(
    ({ name, binds }) =>
      named?.includes(name) !== false &&
      binds.some((bind) => bind.source === "arguments" && bind.path.text === path?.text && slots.includes(bind.slot)),
  );
  return isAdded ? [[lte, (3 * lte) / 4]] : [];
}

function linkAggregate(
  classes: ValueClasses,
  tool: CompiledTool,
  { aggregate, pack }: { readonly aggregate: CompiledAggregate; readonly pack: CompiledPack },
): void {
  const { metric, path, per } = aggregate;
  // Calls of all its tools may count for one value.
  if (per !== undefined) classes.join(place(tool.name, "arguments", per), junction(`per ${aggregate.name}`));
  if (path === null || metric === "count") return;
  const at = place(tool.name, "arguments", path);
  // The number of different values among these is counted.
  if (metric === "count_distinct") classes.join(at, junction(`distinct ${aggregate.name}`));
  const use = classes.use(at);
  if (metric === "count_distinct") {
    use.isCounted = true;
    return;
  }
  use.isNumeric = true;
  const bounds: readonly Json[] = boundsOfOne(aggregate);
  const isRepeated = repeatedPaths(tool).includes(path.text);
  // If the call must repeat a value, a value that is not a number has to come from an earlier call.
  const distinguishing = isRepeated ? [...bounds, "text"] : bounds;
  // So does a value out of bounds.
  const outside = isRepeated ? [...beyond(aggregate), ...within(aggregate, tool, pack)] : [];
  for (const values of outside) classes.want(at, values);
  for (const value of distinguishing) use.distinguishing.set(canonicalJson(value), value);
}

function linkTool(classes: ValueClasses, tool: CompiledTool, pack: CompiledPack): void {
  const { name, checks, binds } = tool;
  for (const check of checks) {
    if (check.kind === "ref") linkRef(classes, tool, check);
    if (check.kind === "precondition" && check.prior !== null) linkPrior(classes, tool, { prior: check.prior, pack });
    const aggregate = check.kind === "aggregate" ? pack.aggregates[check.index] : undefined;
    if (aggregate !== undefined) linkAggregate(classes, tool, { aggregate, pack });
  }
  for (const { slot, source, path } of binds) classes.join(place(name, source, path), slotPlace(slot));
}

function linkSession(classes: ValueClasses, { tools, aggregates, envelopes }: CompiledPack, env: Environment): void {
  const entities = new Map(tools.map((tool) => [tool.name, entitiesOf(tool)]));
  envelopes.forEach(({ stages }, index) => {
    const all = junction(`envelope ${index}`);
    for (const { tool, path, source, role } of stages) {
      const at = place(tool, source, path);
      classes.join(at, all);
      const isBound = role === "constrained" && source === "arguments" && entities.get(tool)?.has(path.text) === true;
      if (isBound) classes.use(at).repeating.set(at.text, Number.POSITIVE_INFINITY);
    }
    classes.use(all).isNumeric = true;
    classes.suggest(all, [100]);
  });
  for (const { slot, operators } of aggregates.flatMap(({ when }) => when)) {
    const { distinguishing } = classes.use(slotPlace(slot));
    const [met] = satisfyingValues(operators, env);
    // A condition cannot judge a value of another type.
    const values = [met, breakingValues(operators, env)[0], typeof met === "string" ? 1 : "text"];
    for (const value of values) if (value !== undefined) distinguishing.set(canonicalJson(value), value);
  }
}

function suggestFor(classes: ValueClasses, tool: CompiledTool, samples: Samples): void {
  const suggest = (side: Side, path: JsonPath, operators: readonly CompiledOperator[]) => {
    const at = place(tool.name, side, path);
    if (!classes.isKnown(at)) return;
    const plain = samples.plain(tool.name, side);
    const value = path.kind === "definite" && plain !== undefined ? readDefinite(path.steps, plain) : undefined;
    classes.suggest(at, [...(value === undefined ? [] : [value]), ...operators.flatMap(boundValues)]);
  };
  for (const { side, path } of classes.placesOf(tool.name)) suggest(side, path, []);
  for (const check of tool.checks) {
    if ("path" in check) suggest("arguments", check.path, operatorsOf(check));
    const conditions = check.kind === "checkpoint" ? pathConditions(check) : [];
    for (const { path, operators } of conditions) suggest("arguments", path, operators);
  }
  for (const { path, operators } of tool.output_invariants) suggest("output", path, operators);
}

/** Values for places that rules compare with each other: a value that fits one is tried at the others too. */
export class LinkedValues {
  private readonly byTool = new Map<string, Map<string, readonly Json[]>>();

  constructor({ pack, samples, env }: Judging, budget: ValueBudget) {
    const classes = new ValueClasses(samples);
    const judging = { pack, samples, env };
    for (const tool of pack.tools) {
      linkTool(classes, tool, pack);
      linkEntities(classes, tool, judging);
      linkOutputs(classes, tool, judging);
      linkCheckpoints(classes, tool, judging);
    }
    linkSession(classes, pack, env);
    for (const tool of pack.tools) suggestFor(classes, tool, samples);
    for (const [{ value }, pool] of classes.pools(budget)) {
      if (value === null) continue;
      const key = `${value.side} ${value.tool}`;
      const byPath = this.byTool.get(key) ?? new Map<string, readonly Json[]>();
      this.byTool.set(key, byPath);
      byPath.set(value.path.text, pool);
    }
  }

  /** The samples for the linked paths of a tool's arguments or output. */
  of(tool: string, side: Side): ValuesByPath {
    return this.byTool.get(`${side} ${tool}`) ?? new Map();
  }
}
