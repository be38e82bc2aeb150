import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { checkSchema } from "../../guard/program/schema-check.js";
import { first, isBeyond } from "../model/caps.js";
import { type ArgumentRule, entryOf, judgedCondition, orElse } from "./argument-rules.js";
import { type ArgumentSpace, conditionsOf } from "./argument-space.js";
import { breakingEdits } from "./breaking-edits.js";
import { setValue } from "./edit-value.js";
import { breakingChanges } from "./schema-changes.js";
import { namedPaths } from "./schema-values.js";
import { distinct } from "./value-list.js";
import type { Wish } from "./value-search.js";

/** Arguments that a check may refuse, close to some that pass. */
function* attempts(space: ArgumentSpace, rule: ArgumentRule, base: Json): Generator<Json> {
  const { check } = rule;
  if (check.kind === "schema") yield* breakingChanges(check.schema, base);
  if (check.kind === "checkpoint") {
    yield base;
    yield space.meetingAll(rule, base);
    for (const wish of space.triggered(rule)) yield* wish.changes(base);
  }
  const entry = entryOf(check);
  if (entry === null) return;
  const values = space.values.breaking(entry);
  yield* breakingEdits(entry.path, values, base);
  const { schema } = space.rules;
  for (const path of schema === null ? [] : namedPaths(schema, entry.path)) {
    for (const value of first(values, "arguments_named")) yield setValue(base, path, value);
  }
}

interface Attempt {
  readonly args: JsonObject;
  /** Other checks that refuse it. */
  readonly others: number;
  /** Conditions of a checkpoint that trigger it only because they cannot be judged. */
  readonly doubts: number;
  readonly flaws: number;
}

function attemptOf(space: ArgumentSpace, rule: ArgumentRule, args: Json): readonly Attempt[] {
  if (!isJsonObject(args) || !rule.refuses(args)) return [];
  const doubts = conditionsOf(rule).filter(
    (condition) => judgedCondition(condition, args, space.program) === null,
  ).length;
  return [{ args, others: space.refusals(args, rule), doubts, flaws: space.flaws(args, rule) }];
}

function compare(a: Attempt, b: Attempt): number {
  return a.others - b.others || a.doubts - b.doubts || a.flaws - b.flaws;
}

/** For a schema, different refused places and keywords matter more than different values at one place. */
function keyOf({ check }: ArgumentRule, args: JsonObject): string {
  if (check.kind !== "schema") return "";
  const failure = orElse(() => checkSchema(check.schema, args), null);
  return `${failure?.path} ${failure?.keyword}`;
}

/** The first few; different failures come before more of the same. */
function mixed(rule: ArgumentRule, sorted: readonly Attempt[]): readonly Attempt[] {
  const seen = new Set<string>();
  const repeated: Attempt[] = [];
  const fresh = sorted.filter((attempt) => {
    const key = keyOf(rule, attempt.args);
    if (key === "" || seen.size < seen.add(key).size) return true;
    repeated.push(attempt);
    return false;
  });
  return [...first([...fresh, ...repeated], "arguments_kept")].sort(compare);
}

/** Values that the other checks accept: if they break the schema, they break nothing else. */
function* acceptedByOthers({ values }: ArgumentSpace, rule: ArgumentRule, base: Json): Generator<Json> {
  if (rule.check.kind !== "schema") return;
  for (const { path } of values.entries()) for (const value of values.at(path)) yield setValue(base, path, value);
}

/** A longer search, if no simple change is refused by this check alone. */
function searchAlone(space: ArgumentSpace, rule: ArgumentRule, starts: readonly Json[]): readonly Attempt[] {
  const isRefused: Wish = {
    isMust: true,
    holds: (args) => rule.refuses(args),
    changes: (args) => attempts(space, rule, args),
  };
  const goals = rule.check.kind === "checkpoint" ? space.triggered(rule) : [isRefused];
  const others = space.rules.checks.filter((other) => other !== rule).map((other) => space.passing(other));
  const [start = {}] = starts;
  const accepted = distinct(acceptedByOthers(space, rule, start), "arguments_tried");
  const { value, isGood } = space.search(
    [...starts, ...accepted],
    [...goals, ...others],
    "attempts_refused",
    accepted.length,
  );
  return isGood ? attemptOf(space, rule, value) : [];
}

/** Whether another check on the same path refuses everything that this one refuses. */
function isCovered({ rules }: ArgumentSpace, rule: ArgumentRule, found: readonly Attempt[]): boolean {
  const path = entryOf(rule.check)?.path.text;
  if (path === undefined) return false;
  return rules.checks.some(
    (other) =>
      other !== rule && entryOf(other.check)?.path.text === path && found.every(({ args }) => other.refuses(args)),
  );
}

function badFor(space: ArgumentSpace, rule: ArgumentRule, base: JsonObject): readonly JsonObject[] {
  const isLarge = isBeyond(space.rules.checks.length, "arguments_checks");
  const tried = distinct(attempts(space, rule, base), isLarge ? "arguments_tried_fast" : "arguments_tried");
  const found = tried.flatMap((args) => attemptOf(space, rule, args)).sort(compare);
  const [best] = found;
  const isDone = best?.others === 0 || isLarge || isCovered(space, rule, found);
  const alone = isDone ? [] : searchAlone(space, rule, [base, ...(best === undefined ? [] : [best.args])]);
  return distinct(mixed(rule, [...alone, ...found].sort(compare)).map(({ args }) => args));
}

/** By the index of its check: arguments that a check refuses, or that trigger a checkpoint. */
export function badArguments(
  space: ArgumentSpace,
  base: JsonObject,
  rules: readonly ArgumentRule[],
): ReadonlyMap<number, readonly JsonObject[]> {
  const bad = new Map<number, readonly JsonObject[]>();
  for (const rule of rules) {
    const isAlways = rule.check.kind === "checkpoint" && conditionsOf(rule).length === 0;
    const found = isAlways ? distinct(rule.refuses(base) ? [base] : []) : badFor(space, rule, base);
    if (found.length > 0) bad.set(rule.index, found);
  }
  return bad;
}
