import { isJsonList, isJsonObject, type Json } from "../../base/json.js";
import { first } from "../model/caps.js";

function withNumber(text: string, number: number): string {
  const digits = String(number);
  const tail = /[0-9]+$/.exec(text)?.[0] ?? "";
  if (tail.length >= digits.length) return text.slice(0, -digits.length) + digits;
  return text.length > digits.length ? text.slice(0, -digits.length) + digits : text + digits;
}

/** Values similar to one but different, for rules that compare for equality; the same number gives the same values. */
export function othersLike(value: Json, number: number): readonly Json[] {
  if (typeof value === "number") return [value + number];
  if (typeof value === "boolean") return [!value];
  if (typeof value === "string") return [withNumber(value, number), `${value}${number}`];
  if (isJsonList(value)) {
    const [other] = othersLike(value.at(-1) ?? null, number);
    return other === undefined ? [] : [[...value, other]];
  }
  if (!isJsonObject(value)) return [];
  const changed = Object.entries(value).flatMap(([name, field]) =>
    othersLike(field, number).map((other) => ({ ...value, [name]: other })),
  );
  return first(changed, "values_changed");
}

/** Some values that differ from a given one. */
export function others(value: Json, count: number): readonly Json[] {
  return Array.from({ length: count }, (_, at) => othersLike(value, at + 1)).flat();
}

/** Values that differ from a bound one by more than a tolerance. */
export function outside(value: Json, tolerance: number | null): readonly Json[] {
  if (typeof value !== "number" || tolerance === null) return others(value, 2);
  const far = 1 + 2 * tolerance * Math.abs(value);
  return [value + far, value - far];
}

/** Whether a value differs from another by more than a tolerance. */
export function isOutside(value: Json, of: Json, tolerance: number): boolean {
  if (typeof value !== "number" || typeof of !== "number") return value !== of;
  return Math.abs(value - of) > tolerance * Math.abs(of);
}
