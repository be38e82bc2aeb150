import { deepEqual } from "../base/equal.js";
import { type Json, typeOf } from "../base/json.js";
import type { Judgement } from "./judgement.js";
import type { Form } from "./operator.js";
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

/** A condition on the type of some values, if they are of one type that a contract can name. */
export function anyOfType(values: readonly Json[]): readonly Form[] {
  const [type, ...others] = typesOf(values);
  return type === undefined || type === "null" || others.length > 0 ? [] : [{ op: "type", value: type }];
}

/** The list without each of its values in turn; a list without values would be another thing. */
export function fewerValues(values: readonly Json[]): readonly (readonly Json[])[] {
  return values.length < 2 ? [] : values.map((_, at) => values.filter((__, other) => other !== at));
}
