import type { CompiledOperator, DerivedInvariant } from "../../../../src/artifact/compiled-value.js";
import { isMultipleOf } from "../../../../src/base/decimal.js";
import { deepEqual } from "../../../../src/base/equal.js";
import { isJsonObject, type Json, typeOf } from "../../../../src/base/json.js";
import type { Selector } from "../../../../src/base/json-path.js";

function pick(value: Json, selector: Selector): readonly Json[] {
  const list = Array.isArray(value) ? value : [];
  switch (selector.kind) {
    case "name":
      return isJsonObject(value) && Object.hasOwn(value, selector.name) ? [value[selector.name] ?? null] : [];
    case "index":
      return list.slice(selector.index, selector.index + 1);
    case "wildcard":
      return isJsonObject(value) ? Object.values(value) : list;
    case "slice":
      return list.slice(selector.start ?? 0);
  }
}

function matched({ path }: DerivedInvariant, root: Json): readonly Json[] {
  const selectors: readonly Selector[] =
    path.kind === "multi"
      ? path.segments.flatMap((segment) => segment.selectors)
      : path.steps.map((step) =>
          typeof step === "string" ? { kind: "name", name: step } : { kind: "index", index: step },
        );
  return selectors.reduce<readonly Json[]>((values, selector) => values.flatMap((v) => pick(v, selector)), [root]);
}

function size(value: Json): number {
  return typeof value === "string" ? [...value].length : Array.isArray(value) ? value.length : Number.NaN;
}

function number(value: Json): number {
  return typeof value === "number" ? value : Number.NaN;
}

function satisfies(operator: CompiledOperator, value: Json): boolean {
  switch (operator.op) {
    case "equals":
      return deepEqual(operator.value, value);
    case "one_of":
      return operator.values.some((allowed) => deepEqual(allowed, value));
    case "regex":
      return typeof value === "string" && new RegExp(operator.pattern.source, "u").test(value);
    case "gte":
      return number(value) >= operator.value;
    case "lte":
      return number(value) <= operator.value;
    case "gt":
      return number(value) > operator.value;
    case "lt":
      return number(value) < operator.value;
    case "multiple_of":
      return isMultipleOf(number(value), operator.value);
    case "length_gte":
      return size(value) >= operator.value;
    case "length_lte":
      return size(value) <= operator.value;
    default:
      throw new Error(`${operator.op} is never derived`);
  }
}

/** A plain reading of derived invariants, for comparison: every matched value, absent only if optional. */
export function holds(invariant: DerivedInvariant, root: Json): boolean {
  const values = matched(invariant, root);
  if (values.length === 0) return invariant.optional;
  return values.every((value) => invariant.passes.includes(typeOf(value)) || satisfies(invariant.operator, value));
}
