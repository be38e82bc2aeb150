import { add, compare, divide, held, multiply, type Rational, rational, subtract, toInteger } from "./rational.js";
import { hasKey, hasValue, whole } from "./slots.js";
import { isDuration, isTimestamp } from "./time.js";
import {
  boolean,
  entryOf,
  equals,
  type Found,
  found,
  isKey,
  list,
  number,
  string,
  unjudgeable,
  type Value,
  WRONG_KIND,
} from "./value.js";

const NO_RESULT = unjudgeable("no result of at most 34 digits");

/** A result that the language can hold. */
export function numeric(value: Rational | null): Found {
  const result = value === null ? null : held(value);
  return result === null ? NO_RESULT : found(number(result));
}

/** A time that the language can hold. */
export function timed(kind: "timestamp" | "duration", seconds: Rational): Found {
  const isHeld = kind === "timestamp" ? isTimestamp(seconds) : isDuration(seconds);
  if (!isHeld) return unjudgeable(`a ${kind} out of range`);
  return held(seconds) === null ? NO_RESULT : found({ kind, seconds });
}

function plus(a: Value, b: Value): Found {
  if (a.kind === "number" && b.kind === "number") return numeric(add(a.value, b.value));
  if (a.kind === "string" && b.kind === "string") return found(string(a.value + b.value));
  if (a.kind === "list" && b.kind === "list") return found(list([...a.items, ...b.items]));
  if (a.kind === "duration" && b.kind === "duration") return timed("duration", add(a.seconds, b.seconds));
  const isMoved =
    (a.kind === "timestamp" && b.kind === "duration") || (a.kind === "duration" && b.kind === "timestamp");
  return isMoved ? timed("timestamp", add(a.seconds, b.seconds)) : WRONG_KIND;
}

function minus(a: Value, b: Value): Found {
  if (a.kind === "number" && b.kind === "number") return numeric(subtract(a.value, b.value));
  if (a.kind === "timestamp" && b.kind === "duration") return timed("timestamp", subtract(a.seconds, b.seconds));
  const isLength = (a.kind === "timestamp" || a.kind === "duration") && a.kind === b.kind;
  return isLength ? timed("duration", subtract(a.seconds, b.seconds)) : WRONG_KIND;
}

/** What is left after cutting the quotient towards zero; whole numbers only. */
function remainder(a: Rational, b: Rational): Rational | null {
  const [left, right] = [toInteger(a), toInteger(b)];
  return left === null || right === null || right === 0n ? null : rational(left % right);
}

function arithmetic(a: Value, b: Value, operate: (a: Rational, b: Rational) => Rational | null): Found {
  return a.kind === "number" && b.kind === "number" ? numeric(operate(a.value, b.value)) : WRONG_KIND;
}

/** Texts by their code points, not by the units of their encoding. */
function compareTexts(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => [...text].map((character) => character.codePointAt(0) ?? 0));
  for (const [at, point] of (left ?? []).entries()) {
    const other = right?.[at];
    if (other === undefined) return 1;
    if (point !== other) return point - other;
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}

function ordered(a: Value, b: Value, holds: (sign: number) => boolean): Found {
  if (a.kind === "number" && b.kind === "number") return found(boolean(holds(compare(a.value, b.value))));
  if (a.kind === "string" && b.kind === "string") return found(boolean(holds(compareTexts(a.value, b.value))));
  const isTime = (a.kind === "timestamp" || a.kind === "duration") && a.kind === b.kind;
  return isTime ? found(boolean(holds(compare(a.seconds, b.seconds)))) : WRONG_KIND;
}

/** A list, or a map and a key; what a slot does not know any more is not said to be absent. */
function isIn(item: Value, container: Value): Found {
  if (container.kind === "keyed") return isKey(item) ? hasKey(container, item) : WRONG_KIND;
  if (container.kind === "union") return hasValue(container.slot, item);
  if (container.kind === "list") return found(boolean(container.items.some((candidate) => equals(candidate, item))));
  if (container.kind !== "map" || !isKey(item)) return WRONG_KIND;
  return found(boolean(entryOf(container.entries, item) !== undefined));
}

type Operate = (a: Value, b: Value) => Found;

/** Operators of two operands that are both evaluated, but for `in`. */
const OPERATORS: ReadonlyMap<string, Operate> = new Map<string, Operate>([
  ["==", (a, b) => found(boolean(equals(a, b)))],
  ["!=", (a, b) => found(boolean(!equals(a, b)))],
  ["<", (a, b) => ordered(a, b, (sign) => sign < 0)],
  ["<=", (a, b) => ordered(a, b, (sign) => sign <= 0)],
  [">", (a, b) => ordered(a, b, (sign) => sign > 0)],
  [">=", (a, b) => ordered(a, b, (sign) => sign >= 0)],
  ["+", plus],
  ["-", minus],
  ["*", (a, b) => arithmetic(a, b, multiply)],
  ["/", (a, b) => arithmetic(a, b, divide)],
  ["%", (a, b) => arithmetic(a, b, remainder)],
]);

/** An operator on two values; only `in` takes slots, of which its left one is taken as a whole. */
export function operate(name: string, a: Value, b: Value): Found {
  if (name === "in") {
    const item = whole(a);
    return item.kind === "value" ? isIn(item.value, b) : item;
  }
  const operator = OPERATORS.get(name);
  if (operator === undefined) throw new Error(`no operator ${name}`);
  return operator(a, b);
}
