import type { CheckOf, CompiledPack } from "../../artifact/compiled.js";
import type { CompiledInvariant } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonObject, type Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { type Environment, judgeClosing, judgeEntries } from "../../guard/values/judge-value.js";
import { first as firstOf, isBeyond } from "../model/caps.js";
import { orElse } from "./argument-rules.js";
import { setValue } from "./edit-value.js";
import { breakingValues, satisfyingValues } from "./operator-values.js";
import { combinationCount, combinations, distinct } from "./value-list.js";
import { searchValue, type Wish } from "./value-search.js";

type Conditions = readonly CompiledInvariant[];
type Policy = CheckOf<"policy">;

/** A value for one path; undefined for an absent value. */
interface Edit {
  readonly path: JsonPath;
  readonly value: Json | undefined;
}

function policiesOf({ tools, unmatched_checks: unmatched }: CompiledPack): readonly Policy[] {
  const checks = [...tools.flatMap((tool) => tool.checks), ...unmatched];
  const policies = checks.filter((check) => check.kind === "policy");
  return firstOf(
    uniqueBy(policies, ({ denies, allows }) => [denies.map(keyOf), allows.map(keyOf)]),
    "policies",
  );
}

/** Equal entries of different places are one. */
function keyOf({ principal }: { readonly principal: Conditions }): unknown {
  return principal.map(({ path, operators }) => [path.text, operators]);
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => unknown): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size < seen.add(canonicalJson(key(item))).size);
}

function conditionsIn(policies: readonly Policy[], list: "denies" | "allows"): readonly Conditions[] {
  const entries = policies.flatMap((policy) => policy[list]).filter(({ principal }) => principal.length > 0);
  return uniqueBy(entries, keyOf).map(({ principal }) => principal);
}

/** Joins conditions on one path, because one value must meet them. */
function joined(conditions: Conditions): readonly Pick<CompiledInvariant, "path" | "operators">[] {
  const byText = new Map<string, Pick<CompiledInvariant, "path" | "operators">>();
  for (const { path, operators } of conditions) {
    const before = byText.get(path.text)?.operators ?? [];
    byText.set(path.text, { path, operators: [...before, ...operators] });
  }
  return [...byText.values()];
}

/** Searches for principals, judged as the guard does; they are JSON objects, because no guard starts with another value. */
class Principals {
  constructor(private readonly env: Environment) {}

  /** Conditions are met. */
  meets(conditions: Conditions, isMust: boolean): Wish {
    return {
      isMust,
      holds: (principal) => orElse(() => judgeEntries(conditions, principal, this.env), null) === true,
      changes: (principal) => this.objects(conditions, principal, satisfyingValues),
    };
  }

  /** Conditions are surely not met by any value of a path: for a deny entry, one value would be enough. */
  avoids(conditions: Conditions, isMust: boolean): Wish {
    return {
      isMust,
      holds: (principal) => orElse(() => judgeEntries(conditions, principal, this.env, judgeClosing), null) === false,
      changes: (principal) => this.objects(conditions, principal, breakingValues),
    };
  }

  /** One of several lists of conditions is met. */
  meetsOne(lists: readonly Conditions[]): Wish {
    const wishes = lists.map((conditions) => this.meets(conditions, false));
    return {
      isMust: false,
      holds: (principal) => wishes.some((wish) => wish.holds(principal)),
      *changes(principal) {
        for (const wish of wishes) yield* wish.changes(principal);
      },
    };
  }

  private *objects(conditions: Conditions, principal: Json, valuesFor: typeof satisfyingValues): Generator<Json> {
    for (const changed of this.changes(conditions, principal, valuesFor)) if (isJsonObject(changed)) yield changed;
  }

  private *changes(conditions: Conditions, principal: Json, valuesFor: typeof satisfyingValues): Generator<Json> {
    let together = principal;
    for (const { path, operators } of valuesFor === satisfyingValues ? joined(conditions) : conditions) {
      const values = valuesFor(operators, this.env);
      for (const value of values) yield setValue(principal, path, value);
      yield setValue(principal, path, undefined);
      together = setValue(together, path, values[0]);
    }
    yield together;
  }
}

/** For each path that conditions read: no value, values that meet each condition, and values that do not. */
function choices(all: readonly Conditions[], env: Environment): readonly (readonly Edit[])[] {
  const byPath = new Map<string, Map<string, Edit>>();
  for (const { path, operators } of all.flat()) {
    const edits = byPath.get(path.text) ?? new Map<string, Edit>([["", { path, value: undefined }]]);
    byPath.set(path.text, edits);
    for (const value of [satisfyingValues(operators, env)[0], breakingValues(operators, env)[0]])
      if (value !== undefined) edits.set(canonicalJson(value), { path, value });
  }
  return [...byPath.values()].map((edits) => [...edits.values()]);
}

/** Principals for each combination of conditions, if there are few: one that may call two tools may need both. */
function combined(all: readonly Conditions[], env: Environment): readonly Json[] {
  const lists = choices(all, env);
  if (isBeyond(combinationCount(lists), "principal_mixes")) return [];
  return combinations(lists)
    .map((edits) => edits.reduce<Json>((principal, { path, value }) => setValue(principal, path, value), {}))
    .filter(isJsonObject);
}

/**
 * Principals that distinguish the entries of the pack's policies, plainest first: one that every policy accepts as far as
 * possible, then for each entry one that meets it, and one that meets none; only null, or an empty one, if no policy has conditions.
 */
export function principalVariants(pack: CompiledPack, env: Environment): readonly Json[] {
  const policies = policiesOf(pack);
  const denies = conditionsIn(policies, "denies");
  const allows = conditionsIn(policies, "allows");
  // Expressions read a principal too: a guard of such a pack starts with none but an object.
  if (denies.length + allows.length === 0) return [pack.needs_principal ? {} : null];
  const principals = new Principals(env);
  const undenied = denies.map((conditions) => principals.avoids(conditions, false));
  const covered = policies.filter((policy) => policy.allows.length > 0);
  const accepted = covered.map((policy) => principals.meetsOne(policy.allows.map(({ principal }) => principal)));
  const first = searchValue([{}], [...undenied, ...accepted], "attempts_principal").value;
  const meeting = firstOf([...allows, ...denies], "principal_entries").map((conditions) => {
    const others = denies.filter((other) => other !== conditions).map((other) => principals.avoids(other, false));
    return searchValue([first], [principals.meets(conditions, true), ...others], "attempts_principal").value;
  });
  const none = [...denies, ...allows].map((conditions) => principals.avoids(conditions, false));
  return distinct([first, ...meeting, searchValue([first], none, "attempts_principal").value, {}], "principal_values");
}

/** All principals that the conditions of the pack's policies can distinguish; none if these are too many. */
export function combinedPrincipals(pack: CompiledPack, env: Environment): readonly Json[] {
  const policies = policiesOf(pack);
  const all = [...conditionsIn(policies, "denies"), ...conditionsIn(policies, "allows")];
  return all.length === 0 ? [] : combined(all, env);
}
