import type { CompiledInvariant } from "../../../artifact/compiled-value.js";
import type { RuleBody } from "../../../artifact/pack-rules.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import type { JsonPath } from "../../../base/json-path.js";
import { passing, passingAll, type Tested } from "../../../domain/of-operator.js";
import { isWithin } from "../../../domain/questions.js";
import { acceptsAbsence } from "../../../operators/index.js";
import { failThen } from "./operator-strength.js";

/** One operator on one path, the smallest part of an entry. All atoms of a call must hold. */
export interface Atom extends Tested {
  readonly path: JsonPath;
}

type Entry = Pick<CompiledInvariant, "path" | "operators">;

/** Whether two paths find the same values. */
export function isSamePath(one: JsonPath, other: JsonPath): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The atoms of an entry: a value must satisfy all of its operators, and an absent value satisfies only `exists: false`. */
function atomsOfEntry({ path, operators }: Entry): readonly Atom[] {
  return operators.map((operator) => ({
    path,
    operator,
    optional: acceptsAbsence(operator),
    passes: [],
  }));
}

/** The atoms of a rule on arguments or results; none for other rules. */
export function atomsOf(body: RuleBody): readonly Atom[] {
  switch (body.kind) {
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      return atomsOfEntry(body);
    case "derived_invariant":
      return [body];
    case "output_invariant":
      return atomsOfEntry(body.invariant);
    default:
      return [];
  }
}

/** Whether two atoms ask for the same, apart from what else passes. */
function asksTheSame(now: Atom, then: Atom): boolean {
  return (
    canonicalJson(now.operator) === canonicalJson(then.operator) &&
    (then.optional || !now.optional) &&
    now.passes.every((type) => then.passes.includes(type))
  );
}

/** Whether every old atom follows from the new ones at the same path. */
export function areAtomsKept(now: readonly Atom[], then: readonly Atom[]): boolean {
  return then.every((old) => {
    const same = now.filter((current) => isSamePath(current.path, old.path));
    return same.some((current) => asksTheSame(current, old)) || isWithin(passingAll(same), passing(old)) === "yes";
  });
}

/** For entries that must hold: whether the new ones require everything that the old ones require. */
export function demandAsMuch(after: readonly Entry[], before: readonly Entry[]): boolean {
  return areAtomsKept(after.flatMap(atomsOfEntry), before.flatMap(atomsOfEntry));
}

/** For a condition that applies unless it is surely false: whether the new one is false only where the old one is. */
export function isFalseOnlyWith(after: Entry, before: Entry): boolean {
  return isSamePath(after.path, before.path) && failThen(after.operators, before.operators);
}
