import type { Scenario } from "./generate.js";
import type { Move } from "./operation.js";
import type { WorkflowPack } from "./reference/model.js";

type Path = readonly string[];

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => [[...path, key], ...placesIn(child, [...path, key])]);
}

function without<T>(value: T, path: Path): T {
  const copy = structuredClone(value);
  let parent: unknown = copy;
  for (const key of path.slice(0, -1)) parent = isContainer(parent) ? Reflect.get(parent, key) : undefined;
  const last = path.at(-1) ?? "";
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isContainer(parent)) Reflect.deleteProperty(parent, last);
  return copy;
}

function* fewerMoves({ pack, moves }: Scenario): Generator<Scenario> {
  const { length } = moves;
  for (let count = Math.ceil(length / 2); count >= 1; count = count === 1 ? 0 : Math.ceil(count / 2)) {
    for (let from = length - count; from >= 0; from -= count) {
      yield { pack, moves: moves.filter((_, at) => at < from || at >= from + count) };
    }
  }
}

/** Operations that ran together, one after the other or without one of them. */
function* calmerMoves({ pack, moves }: Scenario): Generator<Scenario> {
  for (const [at, move] of moves.entries()) {
    if (move.op !== "together") continue;
    const replaced = (by: readonly Move[]) => ({ pack, moves: [...moves.slice(0, at), ...by, ...moves.slice(at + 1)] });
    yield replaced(move.operations);
    for (const gone of move.operations) {
      yield replaced([{ op: "together", operations: move.operations.filter((operation) => operation !== gone) }]);
    }
  }
}

function* smallerPacks({ pack, moves }: Scenario): Generator<Scenario> {
  const { workflow, packs } = pack;
  const roles = Object.fromEntries(packs);
  for (const path of placesIn(workflow)) yield { pack: { workflow: without(workflow, path), packs }, moves };
  for (const path of placesIn(roles)) {
    if (path.length < 3) continue;
    yield { pack: packOf(workflow, without(roles, path)), moves };
  }
}

function packOf(workflow: WorkflowPack["workflow"], roles: Readonly<Record<string, never>> | object): WorkflowPack {
  return { workflow, packs: new Map(Object.entries(roles)) };
}

function* smallerArguments({ pack, moves }: Scenario): Generator<Scenario> {
  for (const [at, move] of moves.entries()) {
    if (move.op !== "propose" || !isContainer(move.args)) continue;
    for (const key of Object.keys(move.args)) {
      const args = Object.fromEntries(Object.entries(move.args).filter(([name]) => name !== key));
      yield { pack, moves: moves.map((other, index) => (index === at ? { ...move, args } : other)) };
    }
  }
}

function* smaller(scenario: Scenario): Generator<Scenario> {
  yield* fewerMoves(scenario);
  yield* calmerMoves(scenario);
  yield* smallerPacks(scenario);
  yield* smallerArguments(scenario);
}

/** Drops moves, rules and arguments as long as the scenario still fails; `tries` bounds the work. */
export async function shrink(
  start: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
  tries = 600,
): Promise<Scenario> {
  let best = start;
  let left = tries;
  for (let improved = true; improved && left > 0; ) {
    improved = false;
    for (const candidate of smaller(best)) {
      left -= 1;
      if (left <= 0) break;
      if (!(await fails(candidate))) continue;
      best = candidate;
      improved = true;
      break;
    }
  }
  return best;
}
