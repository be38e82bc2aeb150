import { deepEqual } from "../base/equal.js";
import { type Json, typeOf } from "../base/json.js";
import type { Judgement } from "./judgement.js";
import { type Domain, ofTypes, type ValueType } from "./value-set.js";

/** Values of different types cannot be compared. */
export function judgeEqual(value: Json, expected: Json): Judgement {
  if (value === expected) return true;
  return typeOf(value) === typeOf(expected) ? deepEqual(value, expected) : null;
}

/** Whether `===` distinguishes a value from every other one. */
export function isScalar(value: Json): boolean {
  return typeof value !== "object" || value === null;
}

export function typesOf(values: readonly Json[]): readonly ValueType[] {
  return [...new Set(values.map(typeOf))];
}

/** What is known about an operator that lists the values it accepts. */
export function listDomain(values: readonly Json[]): Domain {
  const types = typesOf(values);
  return { accepts: { ...ofTypes(types), values }, judges: types };
}
