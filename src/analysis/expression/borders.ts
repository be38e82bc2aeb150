import type { BinaryOperator } from "../../artifact/expression.js";
import { BigNumber } from "../../base/exact-number.js";
import { isJsonObject, type Json } from "../../base/json.js";
import { durationText, timeText } from "../../guard/expression/time/time-text.js";
import { Duration, isList, isPlainObject, Timestamp, type Value } from "../../guard/expression/value.js";
import { othersLike } from "../calls/other-values.js";

/** A text that means nothing, for places where any will do. */
export const PLAIN_TEXT = "text";

/** A number, a time or a span as a plain number; null for everything else. Suggestions need not be exact: the guard judges them. */
export function amountOf(value: Value): number | null {
  if (typeof value === "number") return value;
  if (value instanceof Timestamp || value instanceof Duration) return amountOf(value.ms);
  return value instanceof BigNumber ? Number(`${value.digits}e${value.exponent}`) : null;
}

/** A number as a value of the same kind as another one. */
export function amountLike(like: Value, amount: number): Value {
  if (like instanceof Timestamp) return new Timestamp(amount);
  return like instanceof Duration ? new Duration(amount) : amount;
}

/** A value that can be written into a call. */
export function jsonOf(value: Value): Json | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string")
    return value;
  if (value instanceof BigNumber) return amountOf(value) ?? undefined;
  if (value instanceof Timestamp) return timeText(value.ms);
  if (value instanceof Duration) return durationText(value.ms);
  if (isList(value)) {
    const items = value.map(jsonOf);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  return isPlainObject(value) && isJsonObject(value) ? value : undefined;
}

/** Values that differ from one. */
export function differing(value: Value): readonly Value[] {
  const amount = amountOf(value);
  if (amount !== null) return [amountLike(value, amount + 1), amountLike(value, amount - 1)];
  const json = jsonOf(value);
  if (json === undefined) return [PLAIN_TEXT];
  return json === null ? [PLAIN_TEXT] : [...othersLike(json, 1), PLAIN_TEXT, 1];
}

const MIRRORED: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};
const NEGATED: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/** The operator with its operands exchanged. */
export function mirrored(op: BinaryOperator): BinaryOperator {
  return MIRRORED[op] ?? op;
}

/** The operator that holds where this one does not. */
export function negated(op: BinaryOperator): BinaryOperator {
  return NEGATED[op] ?? op;
}

/** Values at the border of a comparison that meet it, the nearest first: `left op other` holds for them. */
export function meeting(op: BinaryOperator, other: Value): readonly Value[] {
  const amount = amountOf(other);
  const near = (...steps: readonly number[]) => steps.map((step) => amountLike(other, (amount ?? 0) + step));
  switch (op) {
    case "==":
      return [other];
    case "!=":
      return differing(other);
    case "<":
      if (amount !== null) return near(-1, -0.5, -1000);
      return typeof other === "string" ? [other.slice(0, -1), ""] : [];
    case "<=":
      if (amount !== null) return near(0, -1);
      return typeof other === "string" ? [other, ""] : [];
    case ">":
      if (amount !== null) return near(1, 0.5, 1000);
      return typeof other === "string" ? [`${other}a`] : [];
    case ">=":
      if (amount !== null) return near(0, 1);
      return typeof other === "string" ? [other] : [];
    default:
      return [];
  }
}
