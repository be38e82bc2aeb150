import type { CompiledInvariant, CompiledOperator } from "../../../artifact/compiled-value.js";
import type { RuleBody } from "../../../artifact/pack-rules.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { isOfType, type TypeName } from "../../../base/json.js";
import type { JsonPath } from "../../../base/json-path.js";
import { judgeOperator } from "../../../guard/values/judge-value.js";
import { acceptsAbsence, domainOf } from "../../../operators/index.js";
import { failsThen, holdsThen } from "./operator-strength.js";

/** One operator on one path, the smallest part of an entry. All atoms of a call must hold. */
export interface Atom {
  readonly path: JsonPath;
  readonly operator: CompiledOperator;
  /** An absent value passes. */
  readonly optional: boolean;
  /** Values of these types pass, whatever the operator requires. */
  readonly passes: readonly TypeName[];
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

function satisfies(now: Atom, then: Atom): boolean {
  if (holdsThen(now.operator, then.operator)) return true;
  const { values } = domainOf(now.operator).accepts;
  if (values === null) return false;
  return values.every(
    (value) =>
      judgeOperator(then.operator, value, new Map()) === true || then.passes.some((type) => isOfType(value, type)),
  );
}

/** Whether every value that passes the new atom passes the old one. */
function isAtomKept(now: Atom, then: Atom): boolean {
  if (!isSamePath(now.path, then.path) || (now.optional && !then.optional)) return false;
  return now.passes.every((type) => then.passes.includes(type)) && satisfies(now, then);
}

/** Whether every old atom follows from some new one. */
export function areAtomsKept(now: readonly Atom[], then: readonly Atom[]): boolean {
  return then.every((old) => now.some((current) => isAtomKept(current, old)));
}

/** For entries that must hold: whether the new ones require everything that the old ones require. */
export function demandAsMuch(after: readonly Entry[], before: readonly Entry[]): boolean {
  return areAtomsKept(after.flatMap(atomsOfEntry), before.flatMap(atomsOfEntry));
}

/** For a condition that applies unless it is surely false: whether the new one is false only where the old one is. */
export function isFalseOnlyWith(after: Entry, before: Entry): boolean {
  return (
    isSamePath(after.path, before.path) &&
    after.operators.every((now) => before.operators.some((then) => failsThen(now, then)))
  );
}
