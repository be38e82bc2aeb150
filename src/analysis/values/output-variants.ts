import type { CompiledInvariant, CompiledOperator } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { readAll } from "../../guard/values/read-path.js";
import { partsOf } from "../../operators/index.js";
import { first, isBeyond } from "../model/caps.js";
import { boundPaths } from "../model/effects.js";
import { holdsOf } from "./argument-rules.js";
import { breakingEdits } from "./breaking-edits.js";
import { setValue } from "./edit-value.js";
import { breakingValues, satisfyingValues } from "./operator-values.js";
import { type Entry, PathValues, type Pools, stepsOf } from "./path-values.js";
import { combinationCount, combinations, distinct } from "./value-list.js";
import { searchValue, type Wish } from "./value-search.js";

/** Concrete outputs of one tool. */
export interface OutputVariants {
  /** Outputs that pass all output invariants of the tool, plainest first. They vary at the paths that other calls rely on. */
  readonly good: readonly Json[];
  /** By index in tool.compiled.output_invariants: outputs that break it, those first that break no other. */
  readonly bad: ReadonlyMap<number, readonly Json[]>;
}

const NUMBER: readonly CompiledOperator[] = [{ op: "type", value: "number" }];
const PRESENT: readonly CompiledOperator[] = [{ op: "exists", value: true }];

/** The rules on the outputs of one tool. */
interface OutputRules {
  readonly program: Program;
  readonly pools: Pools;
  readonly invariants: readonly CompiledInvariant[];
  /** Conditions of later calls on outputs, and the values that are remembered for them. */
  readonly watched: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly values: PathValues;
}

function outputRules(program: Program, tool: Tool, pools: Pools): OutputRules {
  const invariants = tool.compiled?.output_invariants ?? [];
  const watched = tool.watches.flatMap(({ withOutput }) => withOutput);
  const staged = tool.stages.filter(({ stage }) => stage.source === "output");
  const kept = [
    ...staged.map(({ stage }) => ({ path: stage.path, operators: NUMBER })),
    ...boundPaths(tool, "output").map((path) => ({ path, operators: PRESENT })),
  ];
  const wanted = [...watched, ...kept];
  const values = new PathValues({ entries: invariants, wanted, pools, schema: null, env: program.env });
  return { program, pools, invariants, watched, kept, values };
}

function keeping({ program, values }: OutputRules, entry: Entry, isMust: boolean): Wish {
  return {
    isMust,
    holds: (output) => holdsOf(entry, output, program),
    changes: (output) => values.changes(output, entry.path),
  };
}

function broken({ invariants, program }: OutputRules, output: Json, except: Entry | null = null): number {
  return invariants.filter((entry) => entry !== except && !holdsOf(entry, output, program)).length;
}

/** The values to try at a path that other calls rely on; undefined for an absent value. */
function choicesAt(rules: OutputRules, base: Json, path: JsonPath): readonly (Json | undefined)[] {
  const { env } = rules.program;
  const watched = rules.watched.filter((entry) => entry.path.text === path.text);
  const isKept = rules.kept.some((entry) => entry.path.text === path.text);
  const values = [
    ...readAll(path, base).slice(0, 1),
    ...(path.kind === "definite" ? (rules.pools.byPath.get(path.text) ?? []) : []),
    ...watched.flatMap(({ operators }) => first(satisfyingValues(operators, env), "outputs_watched")),
    ...watched.flatMap(({ operators }) => first(breakingValues(operators, env), "outputs_watched")),
  ];
  // A forbidden value is broken by one that exists, a required one by its absence.
  const lacks = isKept || readAll(path, base).length === 0 || watched.some(isOfPresence);
  return [...distinct(values), ...(lacks ? [undefined] : [])];
}

function isOfPresence({ operators }: Entry): boolean {
  return operators.every((operator) => partsOf(operator).absent(operator) !== null);
}

/** Outermost first, so that setting a whole value does not undo edits inside it. */
function reliedPaths({ watched, kept }: OutputRules): readonly JsonPath[] {
  const byText = new Map([...watched, ...kept].map(({ path }) => [path.text, path]));
  return [...byText.values()].sort((a, b) => stepsOf(a).length - stepsOf(b).length);
}

function variants(rules: OutputRules, base: Json): readonly Json[] {
  const choices = reliedPaths(rules).map((path) => {
    const good = choicesAt(rules, base, path).filter((value) => broken(rules, setValue(base, path, value)) === 0);
    return good.map((value) => ({ path, value }));
  });
  const varied = choices.filter((list) => list.length > 0);
  const single = varied.flat().map((choice) => [choice]);
  const lists = !isBeyond(combinationCount(varied), "outputs_mixed") ? [...combinations(varied), ...single] : single;
  return lists
    .map((edits) => edits.reduce<Json>((output, { path, value }) => setValue(output, path, value), base))
    .filter((output) => broken(rules, output) === 0);
}

function attempts({ values }: OutputRules, entry: Entry, base: Json): Iterable<Json> {
  return breakingEdits(entry.path, values.breaking(entry), base);
}

/** A longer search, if no simple change breaks this invariant alone. */
function searchAlone(rules: OutputRules, entry: Entry, starts: readonly Json[]): readonly Json[] {
  const goal: Wish = {
    isMust: true,
    holds: (output) => !holdsOf(entry, output, rules.program),
    changes: (output) => attempts(rules, entry, output),
  };
  const others = rules.invariants.filter((other) => other !== entry).map((other) => keeping(rules, other, true));
  const { value, isGood } = searchValue(starts, [goal, ...others], "attempts_alone");
  return isGood ? [value] : [];
}

function badFor(rules: OutputRules, entry: Entry, base: Json): readonly Json[] {
  const tried = distinct(attempts(rules, entry, base)).filter((output) => !holdsOf(entry, output, rules.program));
  const rated = tried.map((output) => ({ output, others: broken(rules, output, entry) }));
  const sorted = rated.sort((a, b) => a.others - b.others);
  const alone = sorted[0]?.others === 0 ? [] : searchAlone(rules, entry, [sorted[0]?.output ?? base]);
  return distinct([...alone, ...sorted.map(({ output }) => output)], "outputs_bad");
}

/** Concrete outputs that pass all output invariants, and some that break a given one. */
export function outputVariants(program: Program, tool: Tool, pools: Pools): OutputVariants {
  const rules = outputRules(program, tool, pools);
  const wishes = [
    ...rules.invariants.map((entry) => keeping(rules, entry, true)),
    ...[...rules.watched, ...rules.kept].map((entry) => keeping(rules, entry, false)),
  ];
  const { value: base, isGood } = searchValue([{}], wishes, "attempts_outputs");
  const bad = new Map<number, readonly Json[]>();
  for (const [index, entry] of rules.invariants.entries()) {
    const found = badFor(rules, entry, base);
    if (found.length > 0) bad.set(index, found);
  }
  return { good: isGood ? distinct([base, ...variants(rules, base)], "outputs_good") : [], bad };
}
