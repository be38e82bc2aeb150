import type { Trace } from "./generate/trace.js";
import type { Pack } from "./reference/model.js";

/** A pack and one session under it. */
export interface Scenario {
  readonly pack: Pack;
  readonly trace: Trace;
}

type Path = readonly string[];

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Every place below a value, outer ones first. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => [[...path, key], ...placesIn(child, [...path, key])]);
}

/** A copy without the value at the place. */
function without<T>(value: T, path: Path): T {
  const copy = structuredClone(value);
  let parent: unknown = copy;
  for (const key of path.slice(0, -1)) parent = isContainer(parent) ? Reflect.get(parent, key) : undefined;
  const last = path.at(-1) ?? "";
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isContainer(parent)) Reflect.deleteProperty(parent, last);
  return copy;
}

function withoutOperations({ pack, trace }: Scenario, from: number, count: number): Scenario {
  const operations = trace.operations.filter((_, at) => at < from || at >= from + count);
  return { pack, trace: { ...trace, operations } };
}

function* smallerTraces(scenario: Scenario): Generator<Scenario> {
  const { length } = scenario.trace.operations;
  for (let count = Math.ceil(length / 2); count >= 1; count = count === 1 ? 0 : Math.ceil(count / 2)) {
    for (let from = length - count; from >= 0; from -= count) yield withoutOperations(scenario, from, count);
  }
}

function* smallerPacks({ pack, trace }: Scenario): Generator<Scenario> {
  if (pack.definitions !== null) yield { pack: { ...pack, definitions: null }, trace };
  if (pack.session !== null) yield { pack: { ...pack, session: null }, trace };
  for (const path of placesIn(pack)) if (path.length > 1) yield { pack: without(pack, path), trace };
}

function* smallerArguments({ pack, trace }: Scenario): Generator<Scenario> {
  for (const [at, operation] of trace.operations.entries()) {
    if (operation.op !== "propose" || !isContainer(operation.args)) continue;
    for (const key of Object.keys(operation.args)) {
      const args = Object.fromEntries(Object.entries(operation.args).filter(([name]) => name !== key));
      const operations = trace.operations.map((other, index) => (index === at ? { ...operation, args } : other));
      yield { pack, trace: { ...trace, operations } };
    }
  }
}

/** What an operation can do without: a fault of the store, a key, a caller who spoils what was handed over, a second guard. */
const EXTRAS = ["store", "callKey", "spoils", "guard"];

function* plainerOperations({ pack, trace }: Scenario): Generator<Scenario> {
  for (const [at, operation] of trace.operations.entries()) {
    for (const extra of EXTRAS.filter((name) => name in operation)) {
      const plainer = { ...operation };
      Reflect.deleteProperty(plainer, extra);
      const operations = trace.operations.map((other, index) => (index === at ? plainer : other));
      yield { pack, trace: { ...trace, operations } };
    }
  }
}

function* smaller(scenario: Scenario): Generator<Scenario> {
  yield* smallerTraces(scenario);
  yield* plainerOperations(scenario);
  yield* smallerPacks(scenario);
  yield* smallerArguments(scenario);
}

/** Drops operations, rules and arguments as long as the scenario still fails; `tries` bounds the work. */
export async function shrink(
  start: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
  tries = 3000,
): Promise<Scenario> {
  let best = start;
  let left = tries;
  for (let improved = true; improved && left > 0; ) {
    improved = false;
    for (const candidate of smaller(best)) {
      left -= 1;
      if (left <= 0) break;
      if (await fails(candidate)) {
        best = candidate;
        improved = true;
        break;
      }
    }
  }
  return best;
}
