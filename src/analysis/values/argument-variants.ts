import type { CompiledAggregate } from "../../artifact/compiled.js";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { domainOf } from "../../operators/index.js";
import { isOnly } from "../../operators/value-set.js";
import { first, isBeyond, remembered } from "../model/caps.js";
import { ArgumentSpace, objects } from "./argument-space.js";
import { badArguments } from "./bad-arguments.js";
import { operatorsOf } from "./draw-schema.js";
import { setValue } from "./edit-value.js";
import { borderNumbers } from "./number-values.js";
import { type Pools, stepsOf } from "./path-values.js";
import { testsAt } from "./schema-values.js";
import { combinationCount, combinations, distinct } from "./value-list.js";

export type { Pools } from "./path-values.js";

/** Concrete arguments of one tool. */
export interface ArgumentVariants {
  /** Arguments that pass every argument check, plainest first. Empty if none were found. */
  readonly good: readonly JsonObject[];
  /**
   * By the index of the check in tool.compiled.checks: arguments that this check refuses, or that trigger this
   * checkpoint; those first that no other argument check refuses.
   */
  readonly bad: ReadonlyMap<number, readonly JsonObject[]>;
}

/** The base with values of the pools: in every combination, or one at a time if those are too many. */
function pooledVariants(space: ArgumentSpace, base: JsonObject): readonly Json[] {
  const pooled = space.pooledPaths();
  const single = pooled.map(({ path, values }) => values.map((value) => ({ path, value })));
  const lists = !isBeyond(combinationCount(single), "arguments_mixed")
    ? combinations(single)
    : single.flat().map((one) => [one]);
  return lists.map((edits) => edits.reduce<Json>((args, { path, value }) => setValue(args, path, value), base));
}

/** The base with the first value of each pool that does not make it worse. */
function withPooled(space: ArgumentSpace, base: JsonObject): JsonObject {
  let best = base;
  for (const { path, values } of space.pooledPaths()) {
    const flaws = space.flaws(best);
    const edits = objects(values.map((value) => setValue(best, path, value)));
    best = edits.find((args) => space.refusals(args) === 0 && space.flaws(args) <= flaws) ?? best;
  }
  return best;
}

function boundsOf({ gte, lte, when }: CompiledAggregate): readonly (number | null)[] {
  return [gte, lte, ...when.flatMap(({ then_gte, then_lte }) => [then_gte, then_lte])];
}

/** Numbers at the bounds of all operators at a path. */
function bordersAt({ rules, values, program, tool }: ArgumentSpace, path: JsonPath): readonly number[] {
  const { schema } = rules;
  const fromSchema = schema === null ? [] : operatorsOf(testsAt(schema, stepsOf(path)));
  const aggregates = tool.aggregates.flatMap((index) => program.aggregates[index] ?? []);
  const summed = aggregates.filter((aggregate) => aggregate.path?.text === path.text).flatMap(boundsOf);
  const numbers: readonly Json[] = [
    ...borderNumbers([...values.operatorsAt(path), ...fromSchema]),
    ...summed,
    ...values.at(path),
  ];
  return numbers.filter((value) => typeof value === "number");
}

/** The smallest and largest passing number at paths that the session sums or compares. */
function borderVariants(space: ArgumentSpace, base: JsonObject): readonly Json[] {
  const numeric = space.rules.demands.filter(({ operators }) =>
    operators.some((operator) => isOnly(domainOf(operator).accepts, "number")),
  );
  return numeric.flatMap(({ path }) => {
    const sorted = [...new Set(bordersAt(space, path))].sort((a, b) => a - b);
    const good = sorted.map((value) => setValue(base, path, value)).filter((args) => space.refusals(args) === 0);
    return [...good.slice(0, 1), ...good.slice(-1)];
  });
}

/** Arguments that trigger no checkpoint, if the plain ones do; possibly none. */
function untriggered(space: ArgumentSpace, base: JsonObject): readonly Json[] {
  const checkpoints = space.conditionalCheckpoints();
  if (!checkpoints.some((rule) => rule.refuses(base))) return [];
  const wishes = [
    ...space.rules.checks.map((rule) => space.passing(rule)),
    ...checkpoints.flatMap((rule) => space.untriggered(rule, true)),
  ];
  const { value, isGood } = space.search([base], wishes);
  return isGood ? [value] : [];
}

/** Arguments that trigger only one of several checkpoints; possibly none. */
function triggeringOne(space: ArgumentSpace, base: JsonObject): readonly Json[] {
  const checkpoints = space.conditionalCheckpoints();
  if (checkpoints.length < 2) return [];
  return checkpoints.flatMap((rule) => {
    const wishes = [
      ...space.rules.checks.map((check) => space.passing(check)),
      ...space.triggered(rule),
      ...checkpoints.filter((other) => other !== rule).flatMap((other) => space.untriggered(other, true)),
    ];
    const { value, isGood } = space.search([space.meetingAll(rule, base), base], wishes);
    return isGood ? [value] : [];
  });
}

/** The arguments from which others are made; passing ones if any were found. */
function baseOf(space: ArgumentSpace): { readonly base: JsonObject; readonly isGood: boolean } {
  const { value, isGood } = space.plain();
  const plain = isJsonObject(value) ? value : {};
  return { base: isGood ? withPooled(space, plain) : plain, isGood };
}

/** The plainest arguments that pass all argument checks; undefined if none were found. */
export function plainArguments(program: Program, tool: Tool): JsonObject | undefined {
  const { base, isGood } = baseOf(new ArgumentSpace(program, tool, { byPath: new Map() }));
  return isGood ? base : undefined;
}

/** Concrete arguments that pass all argument checks, and some that a given check refuses. */
export function argumentVariants(program: Program, tool: Tool, pools: Pools): ArgumentVariants {
  const space = new ArgumentSpace(program, tool, pools);
  const { checks, checkpoints } = space.rules;
  const { base, isGood } = baseOf(space);
  const triggering = badArguments(space, base, checkpoints);
  const variants = () => [
    ...untriggered(space, base),
    ...pooledVariants(space, base),
    ...borderVariants(space, base),
    ...[...triggering.values()].flatMap((args) => first(args, "arguments_triggering")),
    ...triggeringOne(space, base),
  ];
  const good = isGood ? [base, ...variants().filter((args) => space.refusals(args) === 0)] : [];
  // Lazy, because many searches do not need these and they take longer to find.
  const bad = remembered(() => new Map([...badArguments(space, base, checks), ...triggering]));
  return {
    good: distinct(objects(good), "arguments_good"),
    get bad() {
      return bad();
    },
  };
}
