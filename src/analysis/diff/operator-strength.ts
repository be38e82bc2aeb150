import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { isMultipleOf } from "../../base/decimal.js";
import { unreachable } from "../../base/invariant.js";
import { type Json, typeOf } from "../../base/json.js";
import { judgeOperator } from "../../guard/judge-value.js";

const NO_ENVIRONMENT: ReadonlyMap<string, string> = new Map();
const NUMERIC: ReadonlySet<string> = new Set(["gte", "lte", "gt", "lt", "multiple_of"]);
const TEXTUAL: ReadonlySet<string> = new Set(["regex", "equals_env"]);

/** The values that an operator lists one by one; null where it lists none. */
export function listedValues(operator: CompiledOperator): readonly Json[] | null {
  if (operator.op === "equals") return [operator.value];
  return operator.op === "one_of" ? operator.values : null;
}

/** Whether every text that the one pattern matches is matched by the other: the same, or the same with an anchor more. */
function isNarrower(source: string, wider: string): boolean {
  return [wider, `^${wider}`, `${wider}$`, `^${wider}$`].includes(source);
}

function isTyped(operator: CompiledOperator, type: string): boolean {
  if (operator.op === "type") return operator.value === type || (operator.value === "integer" && type === "number");
  return (type === "number" && NUMERIC.has(operator.op)) || (type === "string" && TEXTUAL.has(operator.op));
}

/** No other operator but these holds for what is absent or null. */
function isOfPresent(operator: CompiledOperator): boolean {
  if (operator.op === "exists") return operator.value;
  return operator.op !== "type" || operator.value !== "null";
}

/** The bound of an operator if it is of one of the kinds. */
function boundOf(operator: CompiledOperator, ...kinds: readonly CompiledOperator["op"][]): number | null {
  return kinds.includes(operator.op) && "value" in operator && typeof operator.value === "number"
    ? operator.value
    : null;
}

function isAbove(now: number | null, then: number): boolean {
  return now !== null && now > then;
}

function isFrom(now: number | null, then: number): boolean {
  return now !== null && now >= then;
}

function isBelow(now: number | null, then: number): boolean {
  return now !== null && now < then;
}

function isUpTo(now: number | null, then: number): boolean {
  return now !== null && now <= then;
}

/** Whether every value that satisfies the new operator satisfies the old one. */
export function holdsThen(now: CompiledOperator, then: CompiledOperator): boolean {
  const values = listedValues(now);
  if (values !== null) return values.every((value) => judgeOperator(then, value, NO_ENVIRONMENT) === true);
  switch (then.op) {
    case "equals":
    case "one_of":
      return false;
    case "contains":
    case "equals_env":
      return canonicalJson(now) === canonicalJson(then);
    case "exists":
      return then.value ? isOfPresent(now) : now.op === "exists" && !now.value;
    case "type":
      return isTyped(now, then.value);
    case "regex":
      return now.op === "regex" && isNarrower(now.pattern.source, then.pattern.source);
    case "gte":
      return isFrom(boundOf(now, "gte", "gt"), then.value);
    case "gt":
      return isFrom(boundOf(now, "gt"), then.value) || isAbove(boundOf(now, "gte"), then.value);
    case "lte":
      return isUpTo(boundOf(now, "lte", "lt"), then.value);
    case "lt":
      return isUpTo(boundOf(now, "lt"), then.value) || isBelow(boundOf(now, "lte"), then.value);
    case "multiple_of":
      return now.op === "multiple_of" && isMultipleOf(now.value, then.value);
    case "length_gte":
      return isFrom(boundOf(now, "length_gte"), then.value);
    case "length_lte":
      return isUpTo(boundOf(now, "length_lte"), then.value);
    default:
      return unreachable(then);
  }
}

/**
 * A value of a type that none of the listed values has cannot be compared with them, and what cannot be compared closes;
 * so a list that is to close as much as another must not add types to it.
 */
function listsAsMuch(now: readonly Json[], then: readonly Json[]): boolean {
  const texts = now.map(canonicalJson);
  const types = then.map(typeOf);
  return (
    then.every((value) => texts.includes(canonicalJson(value))) && now.every((value) => types.includes(typeOf(value)))
  );
}

/** Whether every value that surely fails the new operator surely fails the old one; what cannot be judged fails neither. */
export function failsThen(now: CompiledOperator, then: CompiledOperator): boolean {
  if (canonicalJson(now) === canonicalJson(then)) return true;
  const [values, others] = [listedValues(now), listedValues(then)];
  if (values !== null || others !== null) return values !== null && others !== null && listsAsMuch(values, others);
  switch (then.op) {
    case "equals":
    case "one_of":
    case "contains":
    case "equals_env":
    case "exists":
    case "multiple_of":
      return false;
    case "type":
      return now.op === "type" && isTyped(then, now.value);
    case "regex":
      return now.op === "regex" && isNarrower(then.pattern.source, now.pattern.source);
    case "gte":
      return isUpTo(boundOf(now, "gte"), then.value) || isBelow(boundOf(now, "gt"), then.value);
    case "gt":
      return isUpTo(boundOf(now, "gte", "gt"), then.value);
    case "lte":
      return isFrom(boundOf(now, "lte"), then.value) || isAbove(boundOf(now, "lt"), then.value);
    case "lt":
      return isFrom(boundOf(now, "lte", "lt"), then.value);
    case "length_gte":
      return isUpTo(boundOf(now, "length_gte"), then.value);
    case "length_lte":
      return isFrom(boundOf(now, "length_lte"), then.value);
    default:
      return unreachable(then);
  }
}
